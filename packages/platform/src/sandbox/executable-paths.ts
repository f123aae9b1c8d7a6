import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findCommand } from './find-command.ts'

const INTERPRETER_DEPTH = 3

/**
 * The paths an installed command needs to run: its folder, the whole environment it is installed in
 * (a Python environment, a tree of node_modules, an `/opt` product), and the same for its
 * interpreter. From a folder that contains the home, only the file itself.
 */
export const pathsOfExecutable = (executable: string, path: string, home: string): string[] => {
  const paths = new Set<string>()
  let current: string | undefined = executable
  for (let depth = 0; current !== undefined && depth < INTERPRETER_DEPTH; depth++) {
    const real = realpathSync(current)
    for (const file of new Set([current, real])) {
      paths.add(holds(dirname(file), home) ? file : dirname(file))
      for (const folder of environmentsOf(file)) paths.add(folder)
    }
    current = interpreterOf(real, path)
  }
  return [...paths]
}

const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

const environmentsOf = (file: string): string[] => {
  const folder = dirname(file)
  const above = dirname(folder)
  const modules = /^(.*?\/node_modules)\//.exec(file)?.[1]
  const product = /^(\/opt\/[^/]+|\/nix\/store|\/home\/linuxbrew\/\.linuxbrew)\//.exec(file)?.[1]
  return [
    ...(basename(folder) === 'bin' && existsSync(join(above, 'pyvenv.cfg')) ? [above] : []),
    ...(modules === undefined ? [] : [modules]),
    ...(product === undefined ? [] : [product]),
  ]
}

/** Parses `#!/usr/bin/env python3` and `#!/usr/bin/python3` like the kernel. */
const interpreterOf = (file: string, path: string): string | undefined => {
  const [, program, argument] = /^#!\s*(\S+)(?:[ \t]+(\S+))?/.exec(firstBytes(file)) ?? []
  if (program === undefined) return undefined
  const named = basename(program) === 'env' && argument !== undefined ? argument : program
  const found = findCommand(named, path)
  return found.ok ? found.value : undefined
}

const firstBytes = (file: string): string => {
  const bytes = Buffer.alloc(256)
  const descriptor = openSync(file, 'r')
  try {
    return bytes.toString('latin1', 0, readSync(descriptor, bytes))
  } finally {
    closeSync(descriptor)
  }
}
