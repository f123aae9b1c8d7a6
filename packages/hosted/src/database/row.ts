/**
 * Values that both engines store. Flags are 0 and 1, timestamps are milliseconds, objects are JSON
 * texts.
 */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, unknown>>
