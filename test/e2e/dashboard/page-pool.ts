import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openPage, type Watch, watchPage } from './watch-page.ts'

/** A page of the browser with the errors recorded on it. */
export interface WatchedPage {
  page: Page
  watch: Watch
}

/**
 * A few pages with the app open that share a login; more pages than CPU cores would only wait for
 * each other.
 */
export interface PagePool {
  use: <T>(work: (watched: WatchedPage) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

export const openPagePool = async (
  browser: Browser,
  signedIn: BrowserContext,
  origin: string,
  size: number,
): Promise<PagePool> => {
  const storageState = await signedIn.storageState()
  // Each page has its own window, because a background tab renders a second after a resize.
  const open = async (): Promise<WatchedPage> => {
    const page = await browser.newPage({ storageState, reducedMotion: 'reduce' })
    const watch = watchPage(page, origin)
    await openPage(page, `${origin}/agents`)
    return { page, watch }
  }
  const all = await Promise.all(Array.from({ length: size }, open))
  const free = [...all]
  const waiting: Array<(watched: WatchedPage) => void> = []
  const take = (): WatchedPage | Promise<WatchedPage> =>
    free.pop() ?? new Promise((resolve) => waiting.push(resolve))
  return {
    use: async (work) => {
      const watched = await take()
      watched.watch.complaints.length = 0
      try {
        return await work(watched)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(watched)
        else next(watched)
      }
    },
    close: async () => {
      await Promise.all(all.map(({ page }) => page.close()))
    },
  }
}
