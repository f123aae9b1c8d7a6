import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { z } from 'zod'

/** The paths of all pages, out of the list that the dashboard itself goes by. */
export const PAGE_PATHS: readonly string[] = [
  ...readFileSync(
    join(import.meta.dirname, '../../../packages/dashboard/src/pages/pages.ts'),
    'utf8',
  ).matchAll(/^ {4}path: '([^']+)'/gm),
].flatMap(([, path]) => path ?? [])

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

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const found = z.array(
  z.object({
    id: z.string(),
    help: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
  }),
)

/** What axe has against the page as it is shown, or a part of it, by rules or tags of rules. */
export const findViolations = async (
  page: Page,
  rules: readonly string[],
  { within = 'html', without = [] }: { within?: string; without?: readonly string[] } = {},
): Promise<string[]> => {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  // Style sheets and media are fetched again only for rules on sound and turned screens, which no page has.
  const options = JSON.stringify({
    runOnly: rules,
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
    preload: false,
  })
  const violations = await page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${options}).then(({ violations }) => violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary: failureSummary ?? '' })) })))`,
  )
  return found
    .parse(violations)
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
    )
}

export const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** All that another theme can change. */
export const COLOUR_RULES = ['color-contrast']

/** How far the page can be moved sideways, in pixels. */
export const sidewaysPixels = (page: Page): Promise<number> =>
  page.evaluate(() => {
    window.scrollTo(10_000, window.scrollY)
    return window.scrollX
  })
