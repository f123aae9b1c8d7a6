import type { Metafile } from 'esbuild'
import { COMMANDS } from '../../packages/cli/src/commands/index.ts'

const TABLE = 'packages/cli/src/commands/index.ts'
const MAIN = 'packages/cli/src/main.ts'

/** The key for a command line without a command, such as `--version`. */
export const NO_COMMAND = 'main'

/**
 * The source files that a command line may execute, by its first word: those of `main` and those of
 * the command, including everything it loads lazily.
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
    const file = `packages/cli/src/commands/${name}/${name}.ts`
    // A command that is created in another file may load any other command.
    const own = loaded.has(file) ? [...new Set([...main, ...reach(file, () => false)])] : ours
    for (const word of [name, ...aliases]) byCommand.set(word, own)
  }
  return byCommand
}

/** Third-party packages change with the lock file, and output of plugins has no file. */
const isForeign = (path: string): boolean =>
  path.includes('node_modules/') || /^[a-z-]+:/.test(path)
