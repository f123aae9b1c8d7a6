import { type Document, isMap, isScalar, LineCounter } from 'yaml'
import { parentPath } from '../issues.ts'
import { parseYamlDocument } from './parse-yaml-document.ts'

/**
 * The line of a path (`a.b[0]`) in a YAML text, for the mistakes of a document; for a missing
 * field, the line of the map that should have it.
 */
export const lineInYaml = (text: string): ((path: string) => number | undefined) => {
  const lines = new LineCounter()
  const document = parseYamlDocument(text, { lineCounter: lines, prettyErrors: false })
  return (path) => {
    for (let at: string | undefined = path; at !== undefined; at = parentPath(at)) {
      const offset = offsetOf(document, partsOf(at))
      if (offset !== undefined) return lines.linePos(offset).line
    }
    return undefined
  }
}

/** Where the key of a member starts, or the value of an element. */
const offsetOf = (document: Document, path: Array<string | number>): number | undefined => {
  const key = path.at(-1)
  const around = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true)
  const pair = isMap(around)
    ? around.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
    : undefined
  return rangeStart(pair?.key ?? document.getIn(path, true))
}

const partsOf = (path: string): Array<string | number> =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

const rangeStart = (value: unknown): number | undefined => {
  if (typeof value !== 'object' || value === null || !('range' in value)) return undefined
  return Array.isArray(value.range) && typeof value.range[0] === 'number'
    ? value.range[0]
    : undefined
}
