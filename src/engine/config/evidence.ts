import type { Evidence } from '../../contract/config-values.ts';
import type { References } from './references.ts';

/** What a table says of reuse, the references in its globs resolved. */
export function evidenceOf(table: Evidence, references: References): Evidence {
  const { inputs, needs, artifacts, environment, toolchain } = table;
  return {
    ...(inputs && { inputs: inputs.map(references.text) }),
    ...(needs && { needs }),
    ...(artifacts && { artifacts }),
    ...(environment && { environment }),
    ...(toolchain && { toolchain }),
  };
}
