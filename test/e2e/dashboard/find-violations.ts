import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { z } from 'zod'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const found = z.array(
  z.object({
    id: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
  }),
)

export const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The only rules whose result depends on the theme. */
export const COLOUR_RULES = ['color-contrast']

/** Runs axe on a part of the visible page, limited to rules or rule tags. */
export const findViolations = async (
  page: Page,
  within: string,
  rules: readonly string[],
): Promise<string[]> => {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  // Only rules on sound and screen orientation need style sheets and media again, and no page has
  // either.
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false })
  const violations = await page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary: failureSummary ?? '' })) })))`,
  )
  return found
    .parse(violations)
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`),
    )
}
