import { existsSync } from 'node:fs'
import packed from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const findInstalled = () => INSTALLED.find((path) => existsSync(path))

/** The reason why no browser is available; undefined if there is one. */
export const findMissingBrowser = (): string | undefined =>
  findInstalled() !== undefined || process.arch === 'x64'
    ? undefined
    : 'no Chromium is installed, and the one out of npm is for x64 (npm test installs one where it needs no password)'

/** A real browser: the installed one, or else the one from npm. */
export const openBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: findInstalled() ?? (await packed.executablePath()),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
    ],
  })
