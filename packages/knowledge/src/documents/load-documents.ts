import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { isStorageCode, LIMITS, parseJson, StewardError, toStewardError } from '@steward/contract'
import type { LargeIndexing } from '../search/index-large.ts'
import type { SearchIndex } from '../search/open-search-index.ts'
import type { SearchDocument } from '../search/search-document.ts'
import {
  DOCUMENT_KIND,
  describeDraft,
  markOfText,
  type WikiDocument,
  wikiDocument,
} from './describe-draft.ts'
import { createDocumentCatalog, type DocumentCatalog } from './document-catalog.ts'
import { readSourceFile } from './read-source-file.ts'
import { type SourceFile, type WikiFinding, walkSource } from './walk-source.ts'
import type { Draft, GeneratedDocument, WikiSource } from './wiki-source.ts'

export interface DocumentPorts {
  /** The currently configured folders. */
  sources: () => readonly WikiSource[]
  generated: () => readonly GeneratedDocument[]
  index: Pick<SearchIndex, 'put' | 'remove' | 'entries'>
  /** Where long texts are split; in this thread by default. */
  large?: Pick<LargeIndexing, 'outline'>
}

/** The documents of all sources: changed ones are read, the others come from the index. */
export interface LoadedDocuments {
  catalog: DocumentCatalog
  /** Checks every file; returns whether anything changed. */
  refresh: () => Promise<boolean>
  /** Checks the files of one source. */
  refreshSource: (key: string) => Promise<boolean>
  /** A document's current text. */
  read: (document: WikiDocument) => Draft | undefined
  findings: () => WikiFinding[]
  /** The scanned folders of a source. */
  foldersOf: (key: string) => readonly string[]
  /** Forces a reread after the index was lost. */
  forgetMarks: () => void
}

/** Read and stored without a pause. */
const AT_ONCE = 50
const CHARS_AT_ONCE = 64 * 1024
const SHOWN_FINDINGS = 100
const GENERATED = ''

interface KnownFile {
  source: string
  mark: string
  ids: readonly string[]
}

/** A file with its parsed documents. */
interface DescribedFile {
  key: string
  source: string
  mark: string
  described: readonly { document: WikiDocument; entry: SearchDocument }[]
}

interface Batch {
  files: DescribedFile[]
  ids: Set<string>
  chars: number
}

const createBatch = (): Batch => ({ files: [], ids: new Set(), chars: 0 })

const idsOf = ({ described }: DescribedFile): string[] =>
  described.map(({ document }) => document.id)

export const loadDocuments = (ports: DocumentPorts): LoadedDocuments => {
  const { sources, generated, index, large } = ports
  /** Cached since the last check, because computing it parses the settings. */
  let current = new Map<string, WikiSource>()
  const bySource = (key: string): WikiSource | undefined => current.get(key)
  const lookForSources = (): WikiSource[] => {
    current = new Map(sources().map((source) => [source.key, source]))
    return [...current.values()]
  }
  const catalog = createDocumentCatalog((key) => bySource(key)?.root)
  const files = new Map<string, KnownFile>()
  const findings = new Map<string, readonly WikiFinding[]>()
  const folders = new Map<string, readonly string[]>()
  let isRestored = false

  const restore = async (): Promise<void> => {
    isRestored = true
    const stale: string[] = []
    for (const { id, mark, data } of index.entries(DOCUMENT_KIND)) {
      const parsed = parseJson(data, id)
      const document = wikiDocument.safeParse(parsed.ok ? parsed.value : undefined)
      if (!document.success) {
        stale.push(id)
        continue
      }
      const { source: from, file } = document.data
      const source = file === '' ? GENERATED : from
      const key = keyOf(source, file === '' ? id : file)
      files.set(key, { source, mark, ids: [...(files.get(key)?.ids ?? []), id] })
      catalog.set(document.data)
    }
    if (stale.length > 0) await index.remove(stale)
  }
  const forget = async (key: string): Promise<boolean> => {
    const ids = files.get(key)?.ids ?? []
    if (ids.length > 0) await index.remove(ids)
    for (const id of ids) catalog.remove(id)
    return files.delete(key)
  }
  const take = async (
    source: WikiSource,
    file: SourceFile,
    found: WikiFinding[],
    batch: Batch,
  ): Promise<boolean> => {
    const key = keyOf(source.key, file.relative)
    const known = files.get(key)
    if (known?.mark === file.mark) return false
    try {
      const text = readSourceFile(source, file.relative)
      if (text === undefined) return await forget(key)
      const place = {
        source: source.key,
        group: source.group,
        file: file.relative,
        mark: file.mark,
        updatedMs: file.writtenMs,
      }
      const drafts = file.read(text, file.relative)
      const all = await Promise.all(drafts.map((draft) => describeDraft(draft, place, large)))
      const described = all.filter(({ document: { id } }) => {
        const other = catalog.get(id)
        const isFree =
          !batch.ids.has(id) && (other === undefined || keyOf(other.source, other.file) === key)
        if (!isFree)
          found.push({
            file: `${source.key}/${file.relative}`,
            reason: `${id} is another file already`,
          })
        return isFree
      })
      batch.files.push({ key, source: source.key, mark: file.mark, described })
      batch.chars += text.length
      for (const { document } of described) batch.ids.add(document.id)
      return true
    } catch (thrown) {
      if (!(thrown instanceof StewardError) || isStorageCode(thrown.code)) throw thrown
      found.push({ file: `${source.key}/${file.relative}`, reason: reasonFor(thrown) })
      return await forget(key)
    }
  }
  /** In batches, because each transaction of the index costs as much as several documents. */
  const keep = async (described: readonly DescribedFile[]): Promise<void> => {
    const gone = described.flatMap((file) => {
      const ids = idsOf(file)
      return (files.get(file.key)?.ids ?? []).filter((id) => !ids.includes(id))
    })
    if (gone.length > 0) await index.remove(gone)
    for (const id of gone) catalog.remove(id)
    await index.put(described.flatMap((file) => file.described.map(({ entry }) => entry)))
    for (const file of described) {
      for (const { document } of file.described) catalog.set(document)
      files.set(file.key, { source: file.source, mark: file.mark, ids: idsOf(file) })
    }
  }
  const lookAt = async (source: WikiSource): Promise<boolean> => {
    const others = [...files.values()].filter((file) => file.source !== source.key).length
    const walked = walkSource(source, Math.max(0, LIMITS.wikiDocuments - others))
    const found = [...walked.findings]
    const there = new Set(walked.files.map(({ relative }) => keyOf(source.key, relative)))
    let isChanged = false
    for (const [key, file] of files) {
      if (file.source === source.key && !there.has(key))
        isChanged = (await forget(key)) || isChanged
    }
    let batch = createBatch()
    const flush = async (): Promise<void> => {
      if (batch.files.length > 0) await keep(batch.files)
      batch = createBatch()
      await yieldToOthers()
    }
    for (const [at, file] of walked.files.entries()) {
      isChanged = (await take(source, file, found, batch)) || isChanged
      if (at % AT_ONCE === AT_ONCE - 1 || batch.chars > CHARS_AT_ONCE) await flush()
    }
    await flush()
    findings.set(source.key, found)
    folders.set(source.key, walked.folders)
    return isChanged
  }
  const lookAtGenerated = async (): Promise<boolean> => {
    const drafts = generated()
    let isChanged = false
    const there = new Set<string>()
    for (const draft of drafts) {
      const mark = markOfText(JSON.stringify(draft))
      const key = keyOf(GENERATED, `${draft.key}/${draft.path}`)
      there.add(key)
      const known = files.get(key)
      if (known?.mark === mark) continue
      const place = { source: draft.key, group: draft.group, file: '', mark, updatedMs: 0 }
      const described = [await describeDraft(draft, place, large)]
      await keep([{ key, source: GENERATED, mark, described }])
      isChanged = true
    }
    for (const [key, file] of files) {
      if (file.source === GENERATED && !there.has(key)) isChanged = (await forget(key)) || isChanged
    }
    return isChanged
  }

  return {
    catalog,
    refresh: async () => {
      const all = lookForSources()
      if (!isRestored) await restore()
      let isChanged = await lookAtGenerated()
      const keys = new Set([GENERATED, ...current.keys()])
      for (const [key, { source }] of files) {
        if (!keys.has(source)) isChanged = (await forget(key)) || isChanged
      }
      for (const key of [...findings.keys()].filter((each) => !keys.has(each))) {
        findings.delete(key)
        folders.delete(key)
      }
      for (const source of all) isChanged = (await lookAt(source)) || isChanged
      return isChanged
    },
    refreshSource: async (key) => {
      const source = bySource(key)
      return source === undefined ? false : await lookAt(source)
    },
    read: (document) => {
      if (document.file === '') {
        return generated().find(({ key, path }) => `${key}/${path}` === document.id)
      }
      const source = bySource(document.source)
      const text = source === undefined ? undefined : readSourceFile(source, document.file)
      const drafts =
        text === undefined ? [] : (source?.readerOf(document.file)?.(text, document.file) ?? [])
      return drafts.find(
        ({ path }) => `${document.source}/${path}`.normalize('NFC') === document.id,
      )
    },
    findings: () => [...findings.values()].flat().slice(0, SHOWN_FINDINGS),
    foldersOf: (key) => folders.get(key) ?? [],
    forgetMarks: () => {
      for (const { ids } of files.values()) for (const id of ids) catalog.remove(id)
      files.clear()
    },
  }
}

const keyOf = (source: string, file: string): string => `${source}\n${file}`

/** The file name is shown separately. */
const reasonFor = (thrown: unknown): string => {
  const { message, details } = toStewardError(thrown)
  return typeof details.reason === 'string' ? details.reason : message
}
