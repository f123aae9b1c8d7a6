import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PhonePage } from '@steward/worker'
import { build } from 'esbuild'
import { zodEnglish } from './plugins/zod-english.ts'
import { RUNTIME_MODULES, type RuntimeModules } from './runtime-modules.ts'

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const MANIFEST = {
  name: 'Steward',
  short_name: 'Steward',
  description: 'Answer assistants that wait for you.',
  start_url: '/',
  display: 'standalone',
  background_color: '#14161c',
  theme_color: '#4453d6',
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
  ],
}

/** The files of the phone's page, which the relay worker serves. */
export const bundlePhonePage = async (
  modules: RuntimeModules = RUNTIME_MODULES,
): Promise<PhonePage> => {
  const folder = join(dirname(modules.worker), 'relay', 'page')
  const icons = join(dirname(modules.worker), '..', '..', 'dashboard', 'public')
  const text = (file: string): Promise<string> => readFile(join(folder, file), 'utf8')
  const image = (file: string): Promise<string> => readFile(join(icons, file), 'base64')
  const png = { type: 'image/png', encoding: 'base64' } as const
  return {
    '/': { type: HTML, body: await text('phone.html') },
    '/phone.css': { type: 'text/css; charset=utf-8', body: await text('phone.css') },
    '/phone.js': { type: SCRIPT, body: await bundleScript(join(folder, 'phone.ts'), modules) },
    '/sw.js': {
      type: SCRIPT,
      body: await bundleScript(join(folder, 'service-worker.ts'), modules),
    },
    '/manifest.webmanifest': {
      type: 'application/manifest+json',
      body: JSON.stringify(MANIFEST),
    },
    '/icon.svg': {
      type: 'image/svg+xml',
      body: await readFile(join(icons, 'favicon.svg'), 'utf8'),
    },
    '/icon-192.png': { ...png, body: await image('icon-192.png') },
    '/icon-512.png': { ...png, body: await image('icon-512.png') },
  }
}

const bundleScript = async (file: string, modules: RuntimeModules): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [file],
    absWorkingDir: dirname(file),
    alias: { '@steward/contract': modules.contract },
    plugins: [zodEnglish(modules.contract)],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
