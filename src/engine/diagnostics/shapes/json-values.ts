import { isObject } from '../../../contract/values.ts';
import { position } from '../finding.ts';

/** An object as found in the wild: its fields are known by name, their values are not trusted. */
export type Json = Record<string, unknown>;

export function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The first of these fields that is a text. */
export function textOf(from: Json, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const found = text(from[key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of these fields that is a position, as 1-based where it counts from `base`. */
export function numberOf(from: Json, keys: readonly string[], base = 1): number | undefined {
  for (const key of keys) {
    const value = from[key];
    if (typeof value !== 'number' && typeof value !== 'string') continue;
    const found = position(String(Number(value) + 1 - base));
    if (found !== undefined) return found;
  }
  return undefined;
}
