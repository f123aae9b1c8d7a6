import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The search path of a person: without the packages of this clone. */
export const USER_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

export const findOnPath = (command: string): string => {
  const folder = USER_PATH.split(delimiter).find((each) => existsSync(join(each, command)))
  if (folder === undefined) throw new Error(`${command} is not on the PATH`)
  return join(folder, command)
}

/** Runs a command; throws with its output if it fails. */
export const run = (
  command: string,
  args: readonly string[],
  { cwd, path = USER_PATH }: { cwd: string; path?: string },
): string => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  })
  if (status === 0) return stdout.trim()
  throw new Error(`${command} ${args.join(' ')} exited with ${status}: ${stderr}${stdout}`)
}
