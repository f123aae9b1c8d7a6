import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { createPastHooks } from './past-hooks.ts'
import {
  clientOf,
  mendScriptedAction,
  playScriptedDay,
  REFUSED_COMMAND,
  refuse,
  writeScriptedDefinitions,
} from './play-day.ts'
import { unreachedControls } from './reach-controls.ts'
import { writeScriptedDay } from './scripted-day.ts'
import { takePictures } from './take-pictures.ts'
import {
  ALL_RULES,
  COLOUR_RULES,
  findViolations,
  openPage,
  PAGE_PATHS,
  settle,
  sidewaysPixels,
  type Watch,
  watchPage,
} from './watch-page.ts'

const missing = findMissingBrowser()
if (missing !== undefined) console.warn(`skipped: ${missing}`)

const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
/** A tool call that happens now. */
const callTool = (cli: Cli, id: string, command: string): Promise<void> =>
  createPastHooks(cli.home, Date.now()).fire(0, {
    session_id: 'a3d42f11-queue',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
  })
const MOST_FIRST_LOAD_BYTES = 120 * 1024

describe.skipIf(missing !== undefined)('the dashboard, in a real browser', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let context: BrowserContext
  let page: Page
  let watch: Watch

  const startDaemon = (port: number) =>
    startDaemonProcess(cli, { args: ['--port', String(port)], env: { PATH: '/nowhere' } })
  const signIn = async () => {
    const { code } = await clientOf(daemon).call('createAuthCode', { body: {} })
    await page.goto(`${daemon.address}/auth?code=${code}`)
    await settle(page)
  }
  const open = (path: string) => openPage(page, `${daemon.address}${path}`)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })

  beforeAll(async () => {
    cli = createCli()
    writeScriptedDefinitions(cli)
    daemon = await startDaemon(0)
    browser = await openBrowser()
    context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    page = await context.newPage()
    watch = watchPage(page, daemon.address)
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    cli.remove()
  })

  beforeEach(() => {
    watch.complaints.length = 0
  })

  test('from the first start to the first result of a run', async () => {
    await signIn()
    await page.getByText('Connect your assistant').waitFor()
    await page.getByRole('link', { name: 'Flows' }).click()
    await page.getByRole('tab', { name: 'Actions' }).click()
    await page.getByRole('link', { name: 'A_SUMMARIZE', exact: true }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('alert').filter({ hasText: 'content' }).waitFor()
    await page
      .getByLabel('content string')
      .fill('The surge reached 612 centimetres. The dikes held.')
    await page.getByRole('button', { name: 'Run now' }).click()
    await heading('Run of A_SUMMARIZE').waitFor()
    await page.getByText('completed', { exact: true }).first().waitFor()
    await page.getByText('The surge reached 612 centimetres').last().waitFor()
    expect(watch.complaints).toEqual([])
  })

  describe('on a day of work', () => {
    let failedRun: string

    beforeAll(async () => {
      await page.goto('about:blank')
      const { port } = daemon
      await daemon.stop()
      await writeScriptedDay(cli.home, Date.now())
      daemon = await startDaemon(port)
      failedRun = (await playScriptedDay(daemon)).failedRun
      await signIn()
    })

    test.runIf(process.env.STEWARD_PICTURES === 'yes')('pictures for the docs', async () => {
      await takePictures(page, daemon.address)
    })

    test('from a run that failed to its rerun from the failed step', async () => {
      await open('/flows?tab=runs')
      await page.getByRole('link', { name: /^P_TIDE_REPORT/ }).click()
      await heading('Run of P_TIDE_REPORT').waitFor()
      expect(page.url()).toContain(failedRun)
      await page.getByText('no level in the report', { exact: false }).first().waitFor()
      mendScriptedAction(cli)
      await page.getByRole('button', { name: 'Rerun from step 2', exact: true }).click()
      await page.getByText('Repeats').waitFor()
      await page.getByText('completed', { exact: true }).first().waitFor()
      await page.getByText('kept', { exact: true }).waitFor()
      expect(page.url()).not.toContain(failedRun)
      expect(watch.complaints).toEqual([])
    })

    test('from a command that was refused to its rule, and a change of that rule', async () => {
      await open('/security?tab=events')
      const refused = page.getByRole('article', { name: `blocked: ${REFUSED_COMMAND}` })
      await refused.getByRole('link', { name: /^Show the rule/ }).click()
      const rule = page.locator('[aria-current=true]').filter({ hasText: 'this rule' })
      await rule.getByRole('button', { name: /^Edit/ }).click()
      await page.getByLabel('Reason').fill('Ada formats disks herself')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.locator('main').getByText('Ada formats disks herself').first().waitFor()
      await page.getByRole('button', { name: /^Undo/ }).waitFor()
      expect(JSON.stringify(await refuse(daemon))).toContain('Ada formats disks herself')
      expect(watch.complaints).toEqual([])
    })

    test('two tabs on one note: the second is shown both, and neither loses a word', async () => {
      const address = `${daemon.address}/knowledge/Ideas/exactly-once?edit=yes`
      await openPage(page, address)
      const other = await context.newPage()
      await openPage(other, address)
      const text = (tab: Page) => tab.getByLabel('Markdown of the note')
      const before = await text(page).inputValue()
      await text(page).fill(`${before}\nWritten in the first tab.\n`)
      await text(other).fill(`${before}\nWritten in the second tab.\n`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Written in the first tab.').waitFor()
      await other.getByText('This note was changed elsewhere', { exact: false }).waitFor()
      await other.getByRole('button', { name: 'Save', exact: true }).click()
      await other.getByText('Someone saved this note in between').waitFor()
      expect(await other.getByLabel('Theirs').inputValue()).toContain('Written in the first tab.')
      const yours = other.getByLabel('Yours')
      expect(await yours.inputValue()).toContain('Written in the second tab.')
      await yours.fill(`${before}\nWritten in the first tab.\nWritten in the second tab.\n`)
      await other.getByRole('button', { name: 'Go on with mine' }).click()
      await other.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Written in the second tab.').waitFor()
      await page.getByText('Written in the first tab.').waitFor()
      await other.close()
      expect(watch.complaints).toEqual([])
    })

    describe.each([
      ['a desk', DESKTOP],
      ['a phone', PHONE],
    ])('on %s', (_name, viewport) => {
      beforeAll(() => page.setViewportSize(viewport))
      afterAll(() => page.setViewportSize(DESKTOP))

      test.each(PAGE_PATHS)('%s', async (path) => {
        await page.emulateMedia({ colorScheme: 'light' })
        await open(path)
        const found = await findViolations(page, ALL_RULES)
        await page.emulateMedia({ colorScheme: 'dark' })
        const dark = await findViolations(page, COLOUR_RULES)
        expect([...found, ...dark.map((text) => `in the dark: ${text}`)]).toEqual([])
        expect(await sidewaysPixels(page)).toBe(0)
        expect(watch.complaints).toEqual([])
      })
    })

    test.each(PAGE_PATHS)('every tab of %s', async (path) => {
      await page.emulateMedia({ colorScheme: 'light' })
      await open(path)
      const [, ...tabs] = await page.getByRole('tab').all()
      const found: string[] = []
      for (const tab of tabs) {
        await tab.click()
        await settle(page)
        const name = await tab.textContent()
        found.push(...(await findViolations(page, ALL_RULES)).map((text) => `${name}: ${text}`))
        await page.emulateMedia({ colorScheme: 'dark' })
        found.push(...(await findViolations(page, COLOUR_RULES)).map((text) => `${name}: ${text}`))
        await page.emulateMedia({ colorScheme: 'light' })
      }
      expect(found).toEqual([])
      expect(watch.complaints).toEqual([])
    })

    test('the first page is small', async () => {
      const fresh = await browser.newContext()
      const first = await fresh.newPage()
      const sizes: Array<Promise<[string, number]>> = []
      first.on('response', (response) => {
        if (response.request().resourceType() === 'eventsource') return
        const { pathname } = new URL(response.url())
        if (pathname.startsWith('/api/')) return
        sizes.push(response.body().then((body) => [pathname, gzipSync(body).length]))
      })
      await openPage(first, `${daemon.address}/agents`)
      const loaded = await Promise.all(sizes)
      await fresh.close()
      const bytes = loaded.reduce((sum, [, size]) => sum + size, 0)
      expect(loaded.length).toBeGreaterThan(3)
      expect(bytes, JSON.stringify(loaded)).toBeLessThanOrEqual(MOST_FIRST_LOAD_BYTES)
    })

    describe('by the keyboard alone', () => {
      test('the first stop leads past the navigation', async () => {
        await open('/agents')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
      })

      test('the palette finds a page by a few letters, and does what a page offers', async () => {
        await open('/agents')
        await page.keyboard.press('Control+k')
        await page.keyboard.type('novel')
        await page.keyboard.press('Enter')
        await heading('Novelty').waitFor()
        await open('/events')
        await page.keyboard.press('Control+k')
        await page.keyboard.type('failures')
        await page.keyboard.press('Enter')
        await page.waitForURL(/q=source%3Atool-failure/)
        await page.keyboard.press('Control+k')
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      })

      test('g and a letter go to a page; ? lists the keys', async () => {
        await open('/agents')
        await page.keyboard.press('g')
        await page.keyboard.press('l')
        await heading('Ladder').waitFor()
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keys' }).waitFor()
        await page.keyboard.press('Escape')
      })

      test('arrows go through tabs, which the address keeps', async () => {
        await open('/agents')
        await page.getByRole('tab', { name: 'Algorithm' }).focus()
        await page.keyboard.press('ArrowRight')
        await page.keyboard.press('ArrowRight')
        await page.getByText('Kill the sender a hundred times').waitFor()
        expect(page.url()).toContain('tab=subagents')
        expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
          'Subagents',
        )
      })

      test.each(PAGE_PATHS)('every control of %s can be reached', async (path) => {
        await open(path)
        expect(await unreachedControls(page)).toEqual([])
      })
      afterEach(() => expect(watch.complaints).toEqual([]))
    })

    test('a daemon that is killed and comes back: the page says so, goes on, and misses nothing', async () => {
      await open('/events')
      const other = await context.newPage()
      await openPage(other, `${daemon.address}/agents`)
      await page.getByText('Live', { exact: true }).waitFor()
      watch.allowOffline(true)
      const { port } = daemon
      await daemon.kill()
      await page.getByText('The daemon does not answer.', { exact: false }).first().waitFor()
      await callTool(cli, 'away', 'echo while nobody listened')
      daemon = await startDaemon(port)
      await page.getByText('Live', { exact: true }).waitFor()
      watch.allowOffline(false)
      await page.getByText('echo while nobody listened').waitFor()
      await callTool(cli, 'back', 'echo and again')
      await page.getByText('echo and again').waitFor()
      await other.getByText('Live', { exact: true }).waitFor()
      expect(await page.getByText('The daemon does not answer.', { exact: false }).count()).toBe(0)
      await other.close()
      expect(watch.complaints).toEqual([])
    })
  })
})
