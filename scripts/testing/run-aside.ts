import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The exit code of a command, and its output in order. */
export interface Aside {
  isGood: boolean
  said: string
}

/**
 * Runs a command of the workspace in parallel; its output is buffered, so that outputs do not mix.
 */
export const runAside = (command: string, args: readonly string[]): Promise<Aside> =>
  new Promise((resolve) => {
    let said = ''
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    }
    child.on('error', ({ message }) => resolve({ isGood: false, said: message }))
    child.on('close', (code) => resolve({ isGood: code === 0, said }))
  })
