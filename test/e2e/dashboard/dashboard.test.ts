import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts'
import { findMissingBrowser, openBrowser } from '../voice-browser.ts'
import { createPastHooks } from './past-hooks.ts'
import { clientOf, playScriptedDay, writeScriptedDefinitions } from './play-day.ts'
import { unreachedControls } from './reach-controls.ts'
import { writeScriptedDay } from './scripted-day.ts'
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
    await writeScriptedDay(cli.home, Date.now())
    daemon = await startDaemon(0)
    await playScriptedDay(daemon)
    browser = await openBrowser()
    context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce' })
    page = await context.newPage()
    watch = watchPage(page, daemon.address)
    await signIn()
  })
  afterAll(async () => {
    await browser?.close()
    await daemon?.kill()
    cli.remove()
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
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Subagents')
    })

    test.each(PAGE_PATHS)('every control of %s can be reached', async (path) => {
      await open(path)
      expect(await unreachedControls(page)).toEqual([])
    })
    afterAll(() => expect(watch.complaints).toEqual([]))
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
