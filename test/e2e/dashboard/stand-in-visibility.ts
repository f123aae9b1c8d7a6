import type { Page } from 'playwright-core'

/** Pages of a browser without a screen are all in front; this one can be told otherwise. */
export interface Visibility {
  /** Another tab or window is in front, or this one again. */
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
