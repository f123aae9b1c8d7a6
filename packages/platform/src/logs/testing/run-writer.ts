import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./append-rows.ts', import.meta.url))

export interface Writer {
  child: ChildProcess
  /** The indexes it acknowledged; known when it has ended. */
  ended: Promise<{ status: number | null; acknowledged: number[] }>
}

export interface WriterOptions {
  path: string
  name: string
  count: number
  maxBytes: number
  files: number
}

/** A separate process that appends rows. */
export const runWriter = ({ path, name, count, maxBytes, files }: WriterOptions): Writer => {
  const child = spawn(
    process.execPath,
    [PROGRAM, path, name, ...[count, maxBytes, files].map(String)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const said: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text))
  const ended = once(child, 'close').then(([status]) => ({
    status: typeof status === 'number' ? status : null,
    // The last line of a killed writer may be incomplete; its index was not acknowledged.
    acknowledged: said.join('').split('\n').slice(0, -1).map(Number),
  }))
  return { child, ended }
}
