import { StewardError } from '@steward/contract'
import { deployedWorkers, setSecret, shortOf, workersUsing } from '@steward/edge'
import { Command } from 'commander'
import { openPlatform, type Platform } from '../deploy/open-platform.ts'
import { DEFAULT_WORKERS, readDirectoriesIfAny } from '../deploy/read-directories.ts'
import { readSecretValue } from '../deploy/read-secret-value.ts'
import { showSetting } from '../deploy/show-setting.ts'
import type { Io } from '../io.ts'
import { printJson } from '../output/print-json.ts'

interface SetFlags {
  worker?: string[]
  all?: true
  dir: string
  json?: true
}

const NAME = /^[A-Z][A-Z0-9_]*$/

export const createSecretsSetCommand = (io: Io): Command =>
  new Command('set')
    .description('Sets one secret; its value comes from standard input or a hidden prompt.')
    .argument('<name>', 'such as LLM_API_KEY')
    .argument('[words...]')
    .option('--worker <names...>', 'on these workers')
    .option('--all', 'on every deployed worker that uses it')
    .option('--dir <dir>', 'where the worker directories are', DEFAULT_WORKERS)
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
      'a value never stands on the command line, where other programs and the shell history see it; pipe it in or type it at the prompt',
    )
  }
  if (!NAME.test(name)) throw wrong(`${name} is not a name of a secret: use UPPER_SNAKE_CASE`)
  if ((worker === undefined) === (all === undefined)) {
    throw wrong('say where: --worker NAME…, or --all; not both')
  }
}

const chooseWorkers = async (
  io: Io,
  { api }: Platform,
  secret: string,
  { worker, dir }: SetFlags,
): Promise<string[]> => {
  if (worker !== undefined) return worker.map((word) => `exec-${shortOf(word)}`)
  const directories = await readDirectoriesIfAny(io, dir)
  const using = workersUsing(secret, await deployedWorkers(api), directories)
  if (using.length > 0) return using
  throw new StewardError('not_found', {
    what: `a deployed worker that uses ${secret}`,
    name: `none of those built in ${dir} says so`,
    hint: '; --worker NAME sets it on one all the same',
  })
}
