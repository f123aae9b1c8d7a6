import type { ConsoleMessage, Page } from 'playwright-core'

export interface Watch {
  /**
   * Console messages of every level, errors, failed requests, and requests to any host other than
   * the daemon.
   */
  complaints: string[]
  /** While the daemon is down, failed requests are expected and not recorded. */
  allowOffline: (allowed: boolean) => void
}

/** What a browser reports of a request without an answer. */
const UNANSWERED = /^Failed to load resource: net::ERR_/

/** Records console messages and failures, which no journey may cause. */
export const watchPage = (page: Page, origin: string): Watch => {
  const complaints: string[] = []
  let offline = false
  const noteMessage = (message: ConsoleMessage): void => {
    if (offline && UNANSWERED.test(message.text())) return
    complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  }
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('console', noteMessage)
  page.on('request', (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:') {
      complaints.push(`asked another origin: ${request.url()}`)
    }
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // Leaving a page aborts its streams and pending requests.
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

/** Opens a page and waits until it has loaded its data. */
export const openPage = async (page: Page, address: string): Promise<void> => {
  await page.goto(address)
  await settle(page)
}

export const settle = (page: Page): Promise<unknown> =>
  page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null && document.querySelector('.skeleton') === null,
  )

/** Navigates as a link would: the app is not reloaded and keeps what a test put into it. */
export const goInApp = async (page: Page, path: string): Promise<void> => {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await settle(page)
}
