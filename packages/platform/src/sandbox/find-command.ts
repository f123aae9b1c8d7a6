import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { fail, ok, type Result, StewardError } from '@steward/contract'

export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The absolute path of a command, resolved as a shell would. */
export const findCommand = (command: string, path: string): Result<string> => {
  const missing = (reason: string) => fail(new StewardError('command_missing', { command, reason }))
  if (command.includes('/')) {
    if (!isAbsolute(command)) return missing('name it alone or by its absolute path')
    return isExecutable(command) ? ok(command) : missing('there is no such program')
  }
  const folders = path.split(delimiter).filter(isAbsolute)
  for (const folder of folders) {
    const candidate = join(folder, command)
    if (isExecutable(candidate)) return ok(candidate)
  }
  return missing(`it is in none of ${folders.join(', ')}; install it with your package manager`)
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
