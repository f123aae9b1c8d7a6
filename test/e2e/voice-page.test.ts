import { notifyAnswer, voiceStatus } from '@steward/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { findMissingBrowser, openBrowser } from './voice-browser.ts'
import { eventually, readVoiceEvents } from './voice-machine.ts'

const missing = findMissingBrowser()
if (missing !== undefined) console.warn(`skipped: ${missing}`)

describe.skipIf(missing !== undefined)('the voice page, in a real browser', () => {
  let browser: Browser
  let cli: Cli
  let daemon: DaemonProcess
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  beforeEach(async () => {
    cli = createCli()
    cli.write('settings.json', JSON.stringify({ voice: { provider: 'browser' } }))
    daemon = await startDaemonProcess(cli, { env: { PATH: '/nowhere' } })
    page = await browser.newPage()
    complaints = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => complaints.push(message.text()))
  })
  afterEach(async () => {
    await page.close()
    await daemon.stop()
    cli.remove()
  })

  const notify = async (body: Record<string, unknown>) => {
    const response = await daemon.fetch('/notify', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return notifyAnswer.parse(await response.json())
  }

  /** Replaces the page's speech synthesis by one that ends or fails immediately. */
  const standInForSpeech = (failure: string | null) =>
    page.addInitScript((error) => {
      const asked: string[] = []
      Object.assign(window, { asked })
      window.speechSynthesis.speak = (utterance) => {
        asked.push(utterance.text)
        const event =
          error === null
            ? new SpeechSynthesisEvent('end', { utterance })
            : new SpeechSynthesisErrorEvent('error', { utterance, error: 'not-allowed' })
        utterance.dispatchEvent(event)
      }
    }, failure)
  const readAsked = () => page.evaluate(() => Reflect.get(window, 'asked'))
  const lastEvent = () => readVoiceEvents(cli).at(-1)

  const openSpeaking = async () => {
    await page.goto(`${daemon.address}/voice/page`)
    await page.getByText('Listening; captions only').waitFor()
    await page.getByRole('button', { name: 'Speak here' }).click()
    await page.getByText('Listening; this page speaks').waitFor()
  }

  test('the caption appears, the utterance is requested, and its end is reported', async () => {
    await standInForSpeech(null)
    await openSpeaking()
    const status = voiceStatus.parse(await (await daemon.fetch('/voice')).json())
    expect(status).toMatchObject({ voice_system: 'browser', status: 'ok' })
    const message = 'Ready: <b>5</b> & $(more) "now" שלום 🎉'
    const { queued } = await notify({ message, title: 'Build' })
    expect(queued).toBe(true)
    const caption = page.locator('#caption')
    await caption.filter({ hasText: 'Ready' }).waitFor()
    expect(await caption.textContent()).toBe(message)
    expect(await page.locator('#note').textContent()).toBe('Build')
    await eventually(() => lastEvent()?.type === 'voice_complete', 'the end')
    expect(lastEvent()).toMatchObject({ voice_engine: 'browser', message })
    expect(await readAsked()).toEqual([message])
    await notify({ message: 'and then' })
    await caption.filter({ hasText: 'and then' }).waitFor()
    expect(await page.locator('#history li').allTextContents()).toEqual([message])
    expect(complaints).toEqual([])
  })

  test('a browser that may not speak shows that', async () => {
    await standInForSpeech('not-allowed')
    await openSpeaking()
    await notify({ message: 'hello' })
    await eventually(() => lastEvent()?.attempts !== undefined, 'the failure')
    expect(lastEvent()?.attempts).toContainEqual({
      engine: 'browser',
      error: 'the page could not speak: not-allowed',
    })
    expect(complaints).toEqual([])
  })

  test('real speech synthesis is called, whatever its result on a machine without voices', async () => {
    await openSpeaking()
    await notify({ message: 'hello' })
    await page.locator('#caption').filter({ hasText: 'hello' }).waitFor()
    await page.getByRole('button', { name: 'Speak here' }).click()
    await eventually(() => /voice_(complete|failed)/.test(String(lastEvent()?.type)), 'an end')
    expect(complaints).toEqual([])
  })
})
