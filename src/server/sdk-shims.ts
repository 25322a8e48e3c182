/**
 * What the SDK imports as its platform's part, without its default JSON Schema validator (Ajv): a server that checks its
 * arguments by its own contract and asks its clients for no input never validates a schema.
 */
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This server validates no JSON Schema.');
  }
}
