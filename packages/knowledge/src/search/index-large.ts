import { LIMITS } from '@steward/contract'
import { createReaderThreads } from '@steward/platform'
import { INDEX_MODULE } from './index-module.ts'
import type { SentText } from './index-sent-text.ts'
import type { SearchDocument } from './search-document.ts'
import type { TextOutline } from './split-sections.ts'

/** Splits and stores long texts where it delays no other work. */
export interface LargeIndexing {
  outline: (markdown: string) => Promise<TextOutline>
  /** Writes a document to the index in that file. */
  store: (document: SearchDocument, file: string) => Promise<void>
}

/** A text of this size is split and stored within a few milliseconds. */
const SMALL_CHARS = 32 * 1024

export const isLarge = (markdown: string): boolean => markdown.length > SMALL_CHARS

/** In one thread, because an index has one writer. It ends when idle. */
export const createLargeIndexing = (): LargeIndexing => {
  const threads = createReaderThreads<SentText, TextOutline>({
    module: INDEX_MODULE,
    limitMs: LIMITS.markdownMs,
    heapBytes: LIMITS.markdownHeapBytes,
    threads: 1,
  })
  return {
    outline: (markdown) => threads.read({ markdown }, 'the text to be indexed'),
    store: async (document, file) => {
      await threads.read({ document, file }, document.id)
    },
  }
}
