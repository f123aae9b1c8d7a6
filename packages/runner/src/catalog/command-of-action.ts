import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ActionManifestV2 } from '@steward/contract'

/** Programs for scripts that an action folder may contain instead of a module. */
const SCRIPTS = { 'action.py': 'python3', 'action.sh': 'sh' } as const

export const SCRIPT_NAMES = Object.keys(SCRIPTS)

/**
 * The program of an action that is not a module: `command` of its manifest, or the interpreter of its
 * script. Arguments that name files of the action become absolute, because the program starts in an
 * empty folder.
 */
export const commandOfAction = (
  folder: string,
  { command }: Pick<ActionManifestV2, 'command'>,
): string[] | undefined => {
  if (command !== undefined) return command.map((argument) => absoluteIfFile(folder, argument))
  for (const [script, interpreter] of Object.entries(SCRIPTS)) {
    const file = join(folder, script)
    if (existsSync(file)) return [interpreter, file]
  }
  return undefined
}

const absoluteIfFile = (folder: string, argument: string): string => {
  if (isAbsolute(argument) || argument.split('/').includes('..')) return argument
  const file = join(folder, argument)
  return argument !== '' && existsSync(file) ? file : argument
}
