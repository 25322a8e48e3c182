/**
 * Named points between the effects of a lifecycle verb. A test sets DISCERN_FAULT_POINT to a name, and the process kills
 * itself there with SIGKILL, as a power cut would; elsewhere a point costs one comparison. `name=MS` waits there instead,
 * so that a test can act in between.
 */
export async function point(name: string): Promise<void> {
  const wanted = process.env.DISCERN_FAULT_POINT;
  if (wanted === undefined) return;
  if (wanted === name) process.kill(process.pid, 'SIGKILL');
  else if (wanted.startsWith(`${name}=`)) {
    await new Promise((resolve) => setTimeout(resolve, Number(wanted.slice(name.length + 1))));
  }
}
