import assert from 'node:assert/strict';

export const name =
  'An untitled workspace of two repositories: the first is held, and a person aims the server at the other and back';

export async function run(stage) {
  const [app, shop] = [stage.project(), stage.project({}, 'shop')];
  const window = await stage.open(app);
  await window.holds('app');
  await window.palette('Workspaces: Add Folder to Workspace...');
  await window.dialogPath(shop);
  await stage.take(window, { workspace: await stage.workspaceWith(shop) });

  await window.holds('app');
  await window.openContainer();
  await stands(window, 'app', 'shop');
  await window.palette('Discern: Aim Server Here');
  await window.pick('shop');
  await window.holds('shop');
  await stands(window, 'shop', 'app');
  await window.palette('Discern: Aim Server Here');
  await window.pick('app');
  await window.holds('app');
  await stands(window, 'app', 'shop');
}

/** The tree says that the server acts in the one folder and not in the other, and nothing warns. */
async function stands(window, held, other) {
  await window.row('Root', new RegExp(`^Held root ${held}, branch main`));
  await window.row('Root', new RegExp(`^Workspace folder ${held}, the server acts here`));
  await window.row('Root', new RegExp(`^Workspace folder ${other}, the server acts elsewhere`));
  await window.row('Worktrees', new RegExp(`^Main checkout ${held}.*, held by the server`));
  assert.equal((await window.rows('Worktrees')).length, 1);
  assert.ok(!(await window.rows('Root')).some((label) => label.startsWith('Warning.')), 'nothing diverges');
}
