import { resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import {
  DEFAULT_WORKERS,
  deployedWorkers,
  openPlatform,
  type Platform,
  readBuiltWorkers,
  setSecret,
  shortOf,
  workersUsing,
} from '@steward/edge/deploy'
import { Command } from 'commander'
import { isTerminalInput, promptHidden } from '../../input/prompt-hidden.ts'
import { readStdin } from '../../input/read-stdin.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { showSetting } from './show-setting.ts'

interface SetFlags {
  worker?: string[]
  all?: true
  dir: string
  json?: true
}

const NAME = /^[A-Z][A-Z0-9_]*$/

export const createSecretsSetCommand = (io: Io): Command =>
  new Command('set')
    .description('Set a secret; value from standard input or a hidden prompt')
    .argument('<name>', 'name of the secret, such as LLM_API_KEY')
    .argument('[words...]', 'refused: values are never arguments')
    .option('--worker <names...>', 'set it on these workers')
    .option('--all', 'set it on every deployed worker that uses it')
    .option('--dir <dir>', 'folder of the worker directories', DEFAULT_WORKERS)
    .option('--json', 'print JSON')
    .action(async (name: string, words: string[], flags: SetFlags) => {
      checkRequest(name, words, flags)
      const platform = await openPlatform(io)
      const workers = await chooseWorkers(io, platform, name, flags)
      const value = await readSecretValue(io, name)
      await showSetting(io, (onProgress) =>
        setSecret({ ...platform, onProgress }, { name, value }, workers),
      )
      if (flags.json) printJson(io.out, { success: true, secret: name, workers })
      else io.out.write(`${name} is set on ${workers.join(', ')}\n`)
    })

const checkRequest = (name: string, words: readonly string[], { worker, all }: SetFlags): void => {
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: 'steward secrets set', reason })
  if (words.length > 0 || name.includes('=')) {
    throw wrong(
      'never pass a value on the command line, where other programs and the shell history can see it; pipe it in or type it at the prompt',
    )
  }
  if (!NAME.test(name)) throw wrong(`${name} is not a valid name: use UPPER_SNAKE_CASE`)
  if ((worker === undefined) === (all === undefined)) {
    throw wrong('use either --worker NAME… or --all')
  }
}

const chooseWorkers = async (
  io: Io,
  { api }: Platform,
  secret: string,
  { worker, dir }: SetFlags,
): Promise<string[]> => {
  if (worker !== undefined) return worker.map((word) => `exec-${shortOf(word)}`)
  const directories = await readBuiltWorkers(resolve(io.cwd, dir))
  const using = workersUsing(secret, await deployedWorkers(api), directories)
  if (using.length > 0) return using
  throw new StewardError('not_found', {
    what: `a deployed worker that uses ${secret}`,
    name: `no worker built in ${dir} declares it`,
    hint: '; set it on a worker anyway with --worker NAME',
  })
}

/**
 * Reads a secret from standard input or a hidden prompt, because others could see it on the command
 * line.
 */
const readSecretValue = async (io: Io, name: string): Promise<string> => {
  const { stdin } = io
  const value = isTerminalInput(stdin)
    ? await promptHidden(stdin, io.err, `${name} (not shown): `)
    : ((await readStdin(io, 'wait')) ?? '').replace(/\r?\n$/, '')
  if (value !== '') return value
  throw new StewardError('invalid_input', {
    subject: name,
    reason: `no value: type it at the prompt, or pipe it in: printf %s "$VALUE" | steward secrets set ${name} --all`,
  })
}
