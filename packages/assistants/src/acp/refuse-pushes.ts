import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

const execute = promisify(execFile)
const NOWHERE = 'url.pushing-was-not-requested://'

/**
 * An environment in which `git push` fails, also where the assistant does not ask before a command. Git
 * prefixes every address that it would push to with one that does not exist; other commands work. An
 * address that a remote has only for pushing is replaced altogether, because git leaves it as it is.
 */
export const refusePushes = async (env: Environment, folder: string): Promise<Environment> => {
  const own = await readPushAddresses(env, folder)
  const entries = [
    [`${NOWHERE}.pushInsteadOf`, ''] as const,
    ...own.map((address) => [`${NOWHERE}.insteadOf`, address] as const),
  ]
  const before = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0
  return {
    ...env,
    GIT_CONFIG_COUNT: String(before + entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${before + at}`, key],
        [`GIT_CONFIG_VALUE_${before + at}`, value],
      ]),
    ),
  }
}

const readPushAddresses = async (env: Environment, folder: string): Promise<string[]> => {
  const args = ['-C', folder, 'config', '--null', '--get-regexp', String.raw`^remote\..*\.pushurl$`]
  // It fails if there is none, and outside a repository.
  const { stdout } = await execute('git', args, { env: { ...env } }).catch(() => ({ stdout: '' }))
  return [...new Set(stdout.split('\0').flatMap((entry) => entry.split('\n')[1] ?? []))]
}
