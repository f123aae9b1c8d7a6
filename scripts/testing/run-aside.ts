import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** How a command ended, and all it said, in the order in which it said it. */
export interface Aside {
  isGood: boolean
  said: string
}

/** Runs a command of the workspace while others run; what it says is kept, so that words do not mix. */
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
