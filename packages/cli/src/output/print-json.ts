import type { Sink } from '../io.ts'

/** Indented on a terminal, one line for a program. */
export const printJson = (sink: Sink, value: unknown): void => {
  const text = JSON.stringify(value, null, sink.isTerminal ? 2 : undefined) ?? 'null'
  // JSON does not escape these characters, but a terminal may interpret some of them.
  const safe = sink.isTerminal ? text.replace(/[\u007f-\u009f]/g, escapeUnit) : text
  sink.write(`${safe}\n`)
}

const escapeUnit = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
