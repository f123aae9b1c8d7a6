import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { HostedAction } from './start-host-process.ts'

const MOST_FRAMES = 20
const MOST_CHARS = 4000

const FRAME = /^ +at /
/** The place at the end of a frame: a file or its URL, the line and the column. */
const PLACE = /((?:file:\/\/)?\/[^()]*):(\d+):(\d+)(?=\)?$)/

/**
 * A stack with only the frames of the action's own files and of `lib` beside the actions, as paths
 * relative to the action's folder. Bundled files with a source map beside them show their sources.
 */
export const ownStack = (
  stack: string,
  { name, file }: Pick<HostedAction, 'name' | 'file'>,
): string => {
  const folder = dirname(file)
  const lib = join(dirname(dirname(folder)), 'lib')
  const owned = [folder, lib].flatMap(withRealPath)
  const lines = stack.split('\n')
  const first = lines.findIndex((line) => FRAME.test(line))
  const head = (first < 0 ? lines : lines.slice(0, first)).map((line) => shortenPaths(line, folder))
  const frames = (first < 0 ? [] : lines.slice(first))
    .flatMap((line) => ownFrame(line, { name, folder, owned }))
    .slice(0, MOST_FRAMES)
  return [...head, ...frames].join('\n').slice(0, MOST_CHARS)
}

interface Own {
  name: string
  folder: string
  /** The folders whose files are the action's own. */
  owned: readonly string[]
}

const ownFrame = (line: string, own: Own): string[] => {
  const [text, place = '', row = '', column = ''] = PLACE.exec(line) ?? []
  if (text === undefined || !FRAME.test(line)) return []
  const file = place.startsWith('file:') ? fileURLToPath(place) : place
  const isOwn = own.owned.some((folder) => file.startsWith(`${folder}/`))
  if (!isOwn) return []
  const shown = sourcePlace(file, Number(row), Number(column), own)
  return shown.includes('node_modules/') ? [] : [line.replace(PLACE, () => shown)]
}

const sourcePlace = (file: string, row: number, column: number, { name, folder }: Own): string => {
  const entry = readSourceMap(file)?.findEntry(row - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry)) {
    const base = withRealPath(folder).find((each) => file.startsWith(`${each}/`)) ?? folder
    return `${relative(base, file)}:${row}:${column}`
  }
  const source = entry.originalSource.replace(/^(\.\.?\/)+/, '')
  const own = source.slice(source.lastIndexOf(`${name}/`)).replace(`${name}/`, '')
  const shown = source.includes(`${name}/`) ? own : source
  return `${shown}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

const readSourceMap = (file: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    // Most files have none, and a damaged one must not hide the error itself.
    return undefined
  }
}

/** A syntax error names its file in the first line. */
const shortenPaths = (line: string, folder: string): string =>
  withRealPath(folder).reduce(
    (text, each) => text.replaceAll(`${pathToFileURL(each).href}/`, '').replaceAll(`${each}/`, ''),
    line,
  )

/** Node names files by their real paths. */
const withRealPath = (folder: string): string[] =>
  existsSync(folder) ? [...new Set([folder, realpathSync(folder)])] : []
