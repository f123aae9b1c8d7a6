import type { Metafile } from 'esbuild'
import { COMMANDS } from '../../packages/cli/src/commands/index.ts'

const TABLE = 'packages/cli/src/commands/index.ts'
const MAIN = 'packages/cli/src/main.ts'

/** The word for a command line without a command, such as `--version`. */
export const NO_COMMAND = 'main'

/**
 * By the first word of a command line, the source files that it may execute: those of `main` and those
 * of the command itself with all that it loads late.
 */
export const inputsByCommand = ({ inputs }: Metafile): Map<string, string[]> => {
  const ours = Object.keys(inputs).filter((path) => inputs[path] && !isForeign(path))
  const reach = (from: string, skip: (path: string) => boolean): string[] => {
    const found = new Set<string>()
    const waiting = [from]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (found.has(path) || isForeign(path)) continue
      found.add(path)
      for (const { path: next } of inputs[path]?.imports ?? []) if (!skip(next)) waiting.push(next)
    }
    return [...found]
  }
  const loaded = new Set(
    inputs[TABLE]?.imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  )
  const main = reach(MAIN, (path) => loaded.has(path))
  const byCommand = new Map<string, string[]>([[NO_COMMAND, main]])
  for (const [name, { aliases = [] }] of Object.entries(COMMANDS)) {
    const file = [`${name}/${name}.ts`, `${name}.ts`]
      .map((path) => `packages/cli/src/commands/${path}`)
      .find((path) => loaded.has(path))
    // A command that is made in another file may load any other command.
    const own = file === undefined ? ours : [...new Set([...main, ...reach(file, () => false)])]
    for (const word of [name, ...aliases]) byCommand.set(word, own)
  }
  return byCommand
}

/** Packages of others change with the lock file, and what a plugin made has no file. */
const isForeign = (path: string): boolean =>
  path.includes('node_modules/') || /^[a-z-]+:/.test(path)
