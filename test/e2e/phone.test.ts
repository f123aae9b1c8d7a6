import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bundlePhonePage } from '../../packages/edge/src/build/phone-page.ts'
import {
  type RunningWorkers,
  startWorkers,
  TOKEN,
} from '../../packages/edge/src/local/testing/start-workers.ts'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { createHookHome, type HookHome } from './hooks-process.ts'
import { PACKED_HOOK } from './launcher.ts'
import { findMissingBrowser, openBrowser } from './voice-browser.ts'

const COMMAND = 'touch known-plaintext'
const storage = mkdtempSync(join(tmpdir(), 'steward-phone-'))
let workers: RunningWorkers
let cli: Cli
let hooks: HookHome
let daemon: DaemonProcess
let browser: Browser
let page: Page

describe.skipIf(findMissingBrowser())('a phone', () => {
  beforeAll(async () => {
    const files = JSON.stringify(await bundlePhonePage())
    workers = await startWorkers(
      [
        {
          name: 'RELAY',
          entry: `export const Relay = edge.createRelayClass()
            export default edge.createRelayWorker(${files})`,
          options: { durableObjects: { RELAY: { className: 'Relay', useSQLite: true } } },
        },
      ],
      storage,
    )
    const relay = new URL((await workers.call('RELAY', '/health')).url).origin
    cli = createCli()
    mkdirSync(cli.home, { recursive: true })
    writeFileSync(join(cli.home, '.env'), `AUTH_TOKEN=${TOKEN}\n`, { mode: 0o600 })
    const settings = { voice: { provider: 'none' }, edge: { workers: { 'exec-relay': relay } } }
    cli.write('settings.json', JSON.stringify(settings))
    hooks = createHookHome(PACKED_HOOK, cli.home)
    daemon = await startDaemonProcess(cli)
    browser = await openBrowser()
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    page = await (await browser.newContext(phone)).newPage()
  })
  afterAll(async () => {
    await browser.close()
    await daemon.kill()
    await workers.stop()
    cli.remove()
    rmSync(storage, { recursive: true, force: true })
  })

  const ask = (call: object) =>
    hooks.fire('PermissionRequest', {
      hook_event_name: 'PermissionRequest',
      session_id: 's1',
      cwd: '/home/u/proj',
      prompt_id: 'p1',
      ...call,
    })
  const askBash = () => ask({ tool_name: 'Bash', tool_input: { command: COMMAND } })
  const answerOf = async (hook: ReturnType<typeof ask>): Promise<unknown> =>
    JSON.parse((await hook).stdout).hookSpecificOutput.decision

  it('is paired by the code, lists what waits at 390 pixels, and answers', async () => {
    const pair = ['answer', 'devices', 'pair', 'phone', '--json']
    const { link } = z.object({ link: z.url() }).parse(await cli.json(pair))
    await page.goto(link)
    await page.getByText('Nothing waits for you. Connected as phone.').waitFor()
    // The key is not left in the history.
    expect(new URL(page.url()).hash).toBe('')
    const hook = askBash()
    await page.getByText(`Bash: ${COMMAND}`).waitFor()
    await page.getByText('This device may look, but not answer.').waitFor()
    expect((await cli.run(['answer', 'devices', 'allow', 'phone'])).code).toBe(0)
    await page.reload()
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    for (const button of await page.locator('article button, article input').all()) {
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    }
    if (process.env.PHONE_PICTURE) await page.screenshot({ path: process.env.PHONE_PICTURE })
    await allow.tap()
    expect(await answerOf(hook)).toEqual({ behavior: 'allow' })
    await page.getByText('Nothing waits for you').waitFor()
  })

  it('chooses options, and goes on after the daemon was killed', async () => {
    const questions = [
      {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [{ label: 'Blue', description: 'As the sky' }, { label: 'Green' }],
      },
    ]
    const hook = ask({ tool_name: 'AskUserQuestion', tool_input: { questions } })
    await page.getByLabel('Blue').waitFor()
    await daemon.kill()
    daemon = await startDaemonProcess(cli)
    await page.getByLabel('Blue').check()
    if (process.env.PHONE_PICTURE)
      await page.screenshot({ path: `${process.env.PHONE_PICTURE}.2.png` })
    await page.getByRole('button', { name: 'Answer' }).tap()
    expect(await answerOf(hook)).toMatchObject({
      behavior: 'allow',
      updatedInput: { answers: { 'Which colour?': 'Blue' } },
    })
  })

  it('keeps what is being typed while the list changes', async () => {
    const questions = [{ question: 'Which name?', options: [{ label: 'Ada' }] }]
    const hook = ask({ tool_name: 'AskUserQuestion', tool_input: { questions } })
    const words = page.getByLabel('In your own words')
    await words.fill('Grace')
    const names = join(cli.home, 'MEMORY/STATE/session-names.json')
    writeFileSync(names, JSON.stringify({ s1: 'Naming' }))
    // Names are read again for a session that is not known yet; its request is listed first.
    const other = ask({
      session_id: 's2',
      tool_name: 'Bash',
      tool_input: { command: COMMAND },
    })
    await page.getByRole('heading', { name: 'Naming' }).waitFor()
    await page.getByText(`Bash: ${COMMAND}`).waitFor()
    expect(await words.inputValue()).toBe('Grace')
    expect(await words.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Reply' }).tap()
    expect(await answerOf(hook)).toMatchObject({
      updatedInput: { answers: { 'Which name?': 'Grace' } },
    })
    expect((await cli.run(['answer', '--deny'])).code).toBe(0)
    expect(await answerOf(other)).toMatchObject({ behavior: 'deny' })
  })

  it('is refused once revoked; the relay never had the text', async () => {
    const hook = askBash()
    const allow = page.getByRole('button', { name: 'Allow' })
    await allow.waitFor()
    expect((await cli.run(['answer', 'devices', 'revoke', 'phone'])).code).toBe(0)
    await page.getByText('This device was revoked').waitFor()
    expect(await allow.count()).toBe(0)
    expect((await cli.run(['answer', '--deny'])).code).toBe(0)
    expect(await answerOf(hook)).toMatchObject({ behavior: 'deny' })
    const files = readdirSync(storage, { recursive: true, withFileTypes: true })
    const stored = files
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
    expect(stored.length).toBeGreaterThan(0)
    const all = [...stored, ...workers.logs].join('\n')
    for (const text of [COMMAND, 'Which colour?', 'decision', '/home/u/proj']) {
      expect(all).not.toContain(text)
    }
    const logged = await cli.run(['security', 'events', '--json'])
    expect(logged.stdout).toContain('allowed once by device phone')
  })

  it('has the dashboard as an app: paired from there, opened offline, no data in its cache', async () => {
    // The bundled program has all that web push needs.
    expect((await daemon.fetch('/api/attention/push-key')).status).toBe(200)
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const app = await context.newPage()
    const answered = await daemon.fetch('/api/auth/code', {
      method: 'POST',
      headers: { authorization: `Bearer ${daemon.token()}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { code } = z.object({ code: z.string() }).parse(await answered.json())
    await app.goto(`${daemon.address}/auth?code=${code}`)
    await app.goto(`${daemon.address}/speech`)
    await app.getByLabel('Name of the phone').fill('tablet')
    await app.getByRole('button', { name: 'Pair a phone' }).click()
    const picture = app.getByAltText('QR code that pairs a phone')
    await picture.waitFor()
    if (process.env.PHONE_PICTURE)
      await app.screenshot({ path: `${process.env.PHONE_PICTURE}.3.png` })
    await app.keyboard.press('Escape')
    await app.getByText('not scanned yet').waitFor()
    await app.evaluate(() => navigator.serviceWorker.ready)
    await app.reload()
    await app.getByText('not scanned yet').waitFor()
    const cached = await app.evaluate(async () => {
      const shell = await caches.open('shell-1')
      return (await shell.keys()).map(({ url }) => new URL(url).pathname)
    })
    expect(cached).toContain('/')
    expect(cached.filter((path) => !/^\/$|\.(js|css|svg|png|webmanifest)$/.test(path))).toEqual([])
    await daemon.kill()
    await app.reload()
    await app.getByRole('link', { name: 'Voice' }).waitFor()
    await context.close()
  })
})
