import type { Sink } from '../io.ts'

/** Indented for a person at a terminal, one line for a program behind a pipe. */
export const printJson = (sink: Sink, value: unknown): void => {
  const text = JSON.stringify(value, null, sink.isTerminal ? 2 : undefined) ?? 'null'
  // JSON leaves these as they are, and a terminal may take some of them for commands.
  const safe = sink.isTerminal ? text.replace(/[\u007f-\u009f]/g, escapeUnit) : text
  sink.write(`${safe}\n`)
}

const escapeUnit = (char: string): string =>
  `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
