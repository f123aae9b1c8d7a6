import { LIMITS } from '@steward/contract'
import {
  createReaderThreads,
  type ReaderThreads,
  type ReaderThreadsOptions,
} from '@steward/platform'
import { z } from 'zod'
import { PAGE_MODULE } from './page-module.ts'
import type { Page, PageText } from './read-page.ts'

/** Reads pages outside the thread that answers requests; hostile pages are refused. */
export interface PageReader {
  read: (page: Page, signal?: AbortSignal) => Promise<PageText>
  close: ReaderThreads['close']
}

export const createPageReader = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): PageReader => {
  const threads = createReaderThreads({
    module: PAGE_MODULE,
    limitMs: LIMITS.pageReadMs,
    heapBytes: LIMITS.pageHeapBytes,
    ...options,
  })
  return {
    read: async (page, signal) => pageText.parse(await threads.read(page, SUBJECT, signal)),
    close: threads.close,
  }
}

const SUBJECT = 'the page cannot be read'
const pageText: z.ZodType<PageText> = z.object({ text: z.string(), chars: z.number() })
