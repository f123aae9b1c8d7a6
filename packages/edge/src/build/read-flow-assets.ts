import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  describeIssues,
  destinationsOf,
  type FlowSource,
  feedList,
  issuesOf,
  parseJson,
  sourcesOf,
} from '@steward/contract'
import { isWebAddress } from '@steward/engine'
import { isAbsent } from '@steward/platform'
import type { FlowAssets } from '@steward/worker'
import type { EdgeFlow } from './catalog.ts'

/** A worker is limited to a few megabytes, all loaded before the first request. */
const MAX_BYTES = 1024 * 1024

const MAIL_OR_API = 'trigger it there, or give it an email or api destination'

/** Why ends of flows need the machine of the user. */
const STAY_HERE: Readonly<Record<string, string>> = {
  'destination notify': `your channels and their outbox are on your machine: ${MAIL_OR_API}`,
  'destination note': `your notes are on your machine: ${MAIL_OR_API}`,
  'destination git': `the repository is on your machine: ${MAIL_OR_API}`,
  'source folder': 'the folder is on your machine: trigger it there',
  'source mailbox': 'a worker cannot speak IMAP: trigger it on your machine',
  'source command': 'a worker cannot start programs: trigger it on your machine',
}

const firstOf = (reasons: readonly (string | undefined)[]): string | undefined =>
  reasons.find((reason) => reason !== undefined)

const stayHere = (end: 'source' | 'destination', type: string): string | undefined => {
  const reason = STAY_HERE[`${end} ${type}`]
  return reason === undefined ? undefined : `its ${end} is ${type}, and ${reason}`
}

export type ReadAssets =
  | { kind: 'assets'; assets: FlowAssets }
  /** It works, but not in an isolate. */
  | { kind: 'skip'; reason: string }
  | { kind: 'mistake'; reason: string }

export const readFlowAssets = async ({
  entry,
  folder,
  feedLists,
}: EdgeFlow): Promise<ReadAssets> => {
  const sources = sourcesOf(entry)
  const reason =
    firstOf(destinationsOf(entry).map(({ type }) => stayHere('destination', type))) ??
    firstOf(sources.map(({ type }) => stayHere('source', type)))
  if (reason !== undefined) return { kind: 'skip', reason }
  if (sources[0].type === 'feeds') return readFeeds(feedLists)
  const paths = sources.flatMap(
    (source) => (source.type === 'file' ? source.path : localPath(source)) ?? [],
  )
  const files: Record<string, string> = {}
  for (const path of paths) {
    const read = await readFiles(path, resolve(folder, path))
    if (read.kind !== 'assets') return read
    Object.assign(files, read.assets.files)
  }
  return { kind: 'assets', assets: paths.length === 0 ? {} : { files } }
}

/** The file of a feed or page that is not on the web. */
const localPath = (source: FlowSource): string | undefined =>
  (source.type === 'rss' || source.type === 'page') && !isWebAddress(source.url)
    ? source.url
    : undefined

const readFeeds = async (files: readonly string[]): Promise<ReadAssets> => {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(missingAsNothing)
    if (text === undefined) continue
    const json = parseJson(text, file)
    if (!json.ok) return { kind: 'mistake', reason: json.error.message }
    const feeds = feedList.safeParse(json.value)
    if (!feeds.success) {
      return { kind: 'mistake', reason: `${file}: ${describeIssues(issuesOf(feeds.error))}` }
    }
    if (feeds.data.length > 0) return { kind: 'assets', assets: { feeds: feeds.data } }
  }
  return { kind: 'assets', assets: { feeds: [] } }
}

const readFiles = async (label: string, path: string): Promise<ReadAssets> => {
  const found = await stat(path).catch(missingAsNothing)
  if (found === undefined) return { kind: 'mistake', reason: `${label} does not exist` }
  const names = found.isDirectory() ? await filesIn(path) : ['']
  const files: Record<string, string> = {}
  let bytes = 0
  for (const name of names) {
    const content = await readFile(join(path, name))
    bytes += content.byteLength
    if (bytes > MAX_BYTES) {
      const reason = `${label} is more than ${MAX_BYTES} bytes: too much to carry inside a worker`
      return { kind: 'skip', reason }
    }
    files[name === '' ? label : `${label.replace(/\/+$/, '')}/${name}`] = content.toString('utf8')
  }
  return { kind: 'assets', assets: { files } }
}

const filesIn = async (folder: string): Promise<string[]> => {
  const items = await readdir(folder, { withFileTypes: true })
  const isText = ({ name }: { name: string }) => !name.startsWith('.')
  return items.flatMap((item) => (item.isFile() && isText(item) ? [item.name] : [])).toSorted()
}

const missingAsNothing = (thrown: unknown): undefined => {
  if (isAbsent(thrown)) return undefined
  throw thrown
}
