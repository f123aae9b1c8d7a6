import type { Page } from 'playwright-core'

/** All pages of a headless browser are visible; this one can be marked as hidden. */
export interface Visibility {
  /** Hides this tab behind another one, or shows it again. */
  hide: (hidden: boolean) => Promise<void>
}

export const standInForVisibility = async (page: Page): Promise<Visibility> => {
  await page.addInitScript(() => {
    let hidden = false
    Object.assign(window, {
      hidePage: (now: boolean) => {
        hidden = now
        document.dispatchEvent(new Event('visibilitychange'))
      },
    })
    Object.defineProperty(document, 'visibilityState', {
      get: () => (hidden ? 'hidden' : 'visible'),
    })
  })
  return {
    hide: async (hidden) => {
      await page.evaluate(`hidePage(${hidden})`)
    },
  }
}
