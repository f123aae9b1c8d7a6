import { LIMITS } from '@steward/contract'
import { createReaderThreads, type ReaderThreadsOptions } from '@steward/platform'
import { PAGE_MODULE } from './page-module.ts'
import type { Page, PageText } from './read-page.ts'

/** Reads pages outside the thread that answers requests; hostile pages are refused. */
export interface PageReader {
  read: (page: Page, signal?: AbortSignal) => Promise<PageText>
  close: () => void
}

export const createPageReader = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): PageReader => {
  const threads = createReaderThreads<Page, PageText>({
    module: PAGE_MODULE,
    limitMs: LIMITS.pageReadMs,
    heapBytes: LIMITS.pageHeapBytes,
    ...options,
  })
  return {
    read: (page, signal) => threads.read(page, 'the page cannot be read', signal),
    close: threads.close,
  }
}
