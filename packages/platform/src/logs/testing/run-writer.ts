import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bundleChild } from '../../../../../scripts/testing/bundle-child.ts'

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

/** Makes the program of writers in a folder. */
export const makeWriter = (folder: string): Promise<string> =>
  bundleChild(join(import.meta.dirname, 'append-rows.ts'), folder)

/** A separate process that appends rows. */
export const runWriter = (
  program: string,
  { path, name, count, maxBytes, files }: WriterOptions,
): Writer => {
  const child = spawn(
    process.execPath,
    [program, path, name, ...[count, maxBytes, files].map(String)],
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
