import { spawn } from 'node:child_process'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import type { Cli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'

interface TerminalOptions {
  env?: Record<string, string>
  /** Typed when the command asks. */
  answer: string
  launcher?: string
}

/** Runs a command in a pseudo terminal, as a person would, and answers its question. */
export const runInTerminal = (
  cli: Cli,
  args: readonly string[],
  { env = {}, answer, launcher = CLONE_LAUNCHER }: TerminalOptions,
): Promise<{ code: number | null; text: string }> =>
  new Promise((resolve, reject) => {
    const words = [process.execPath, launcher, ...args].map(quote)
    const child = spawn('script', ['-qfec', words.join(' '), '/dev/null'], {
      cwd: cli.files,
      env: {
        PATH: process.env.PATH,
        HOME: cli.files,
        XDG_CACHE_HOME: CACHE_HOME,
        STEWARD_HOME: cli.home,
        TERM: 'xterm',
        ...env,
      },
      stdio: 'pipe',
    })
    let text = ''
    let isAnswered = false
    child.stdout.on('data', (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString()
      if (isAnswered || !text.includes(PROMPT)) return
      isAnswered = true
      child.stdin.write(`${answer}\n`)
    })
    child.stdin.on('error', () => undefined)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text }))
  })

const PROMPT = '[y/N]'

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
