import type { Page } from 'playwright-core'

export interface Watch {
  /** Errors on the console, requests that failed, and requests to anyone but the daemon. */
  complaints: string[]
  /** Requests fail while the daemon is away, and browsers say so: nothing of that is held against a page. */
  allowOffline: (allowed: boolean) => void
}

/** Writes down all that no journey may cause. */
export const watchPage = (page: Page, origin: string): Watch => {
  const complaints: string[] = []
  let offline = false
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' || offline) return
    complaints.push(`${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:') {
      complaints.push(`asked another origin: ${request.url()}`)
    }
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // Whoever leaves a page ends its streams, and what it was asking for.
    if (offline || reason === 'net::ERR_ABORTED') return
    complaints.push(`${request.url()} failed: ${reason}`)
  })
  return {
    complaints,
    allowOffline: (allowed) => {
      offline = allowed
    },
  }
}

/** Opens a page and waits until what it loads is there. */
export const openPage = async (page: Page, address: string): Promise<void> => {
  await page.goto(address)
  await settle(page)
}

export const settle = (page: Page): Promise<unknown> =>
  page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null && document.querySelector('.skeleton') === null,
  )

/** Goes to another address as a link would: the app stays, and with it what a test brought into it. */
export const goInApp = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await settle(page)
}
