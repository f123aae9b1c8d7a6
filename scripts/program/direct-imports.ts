import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** `import { a, type B, c as d } from 'x'` or the same with `export`, in the formatter's style. */
const NAMED = /^(import|export) \{([^}]*)\} from '([^']+)'/gm
const EXPORT_ALL = /^export \* from '(\.[^']+)'/gm
const EXPORT_FROM = /^export \{([^}]*)\} from '(\.[^']+)'/gm
const DECLARATION = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm

interface Origin {
  file: string
  name: string
}

export interface DirectImports {
  /** A source text whose imports and re-exports through an index point to the files themselves. */
  rewrite: (text: string, file: string) => string
  /** The indexes that were read, relative to the root. */
  indexes: () => string[]
}

/**
 * An index that re-exports a package makes every importer load the whole package. Names that cannot
 * be resolved stay imported through the index.
 */
export const createDirectImports = (): DirectImports => {
  const known = new Map<string, Map<string, Origin>>()
  const indexes = new Set<string>()

  const exportsOf = (file: string): Map<string, Origin> => {
    const found = known.get(file)
    if (found !== undefined) return found
    const origins = new Map<string, Origin>()
    known.set(file, origins)
    const text = readFileSync(file, 'utf8')
    const at = (path: string) => resolve(dirname(file), path)
    for (const [, path = ''] of text.matchAll(EXPORT_ALL)) {
      for (const [name, origin] of exportsOf(at(path))) origins.set(name, origin)
    }
    for (const [, list = '', path = ''] of text.matchAll(EXPORT_FROM)) {
      const theirs = exportsOf(at(path))
      for (const { name, alias, isType } of readNames(list)) {
        const origin = theirs.get(name)
        if (!isType && origin !== undefined) origins.set(alias, origin)
      }
    }
    for (const [, name = ''] of text.matchAll(DECLARATION)) origins.set(name, { file, name })
    return origins
  }

  const rewrite = (text: string, file: string): string =>
    text.replace(NAMED, (whole, keyword: string, list: string, path: string, at: number) => {
      const index = findIndex(path, file)
      if (index === undefined || isInTemplate(text, at)) return whole
      indexes.add(relative(root, index))
      const origins = exportsOf(index)
      const names = readNames(list).filter(({ isType }) => !isType)
      const lines = names.map(({ name, alias }) => {
        const origin = origins.get(name)
        return origin === undefined
          ? `${keyword} { ${name} as ${alias} } from '${path}'`
          : `${keyword} { ${origin.name} as ${alias} } from '${origin.file}'`
      })
      return lines.join(';')
    })

  return { rewrite, indexes: () => [...indexes] }
}

/** Text that a source generates may have imports too; backticks in comments come in pairs. */
const isInTemplate = (text: string, at: number): boolean =>
  text.slice(0, at).split('`').length % 2 === 0

const readNames = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const isType = part.startsWith('type ')
      const [name = '', alias = name] = part.replace(/^type /, '').split(' as ')
      return { name, alias, isType }
    })

const findIndex = (path: string, importer: string): string | undefined => {
  const [, name] = /^@steward\/([a-z-]+)$/.exec(path) ?? []
  if (name === undefined) {
    return path.startsWith('.') && path.endsWith('/index.ts')
      ? resolve(dirname(importer), path)
      : undefined
  }
  const index = join(root, 'packages', name, 'src/index.ts')
  return existsSync(index) ? index : undefined
}
