import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PhonePage } from '@steward/worker'
import { build } from 'esbuild'
import { zodEnglish } from './plugins/zod-english.ts'
import { RUNTIME_MODULES, type RuntimeModules } from './runtime-modules.ts'

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** The files of the phone's page, which the relay worker serves. */
export const bundlePhonePage = async (
  modules: RuntimeModules = RUNTIME_MODULES,
): Promise<PhonePage> => {
  const folder = join(dirname(modules.worker), 'relay', 'page')
  // The service worker, the manifest and the icons are those of the dashboard.
  const shared = join(dirname(modules.worker), '..', '..', 'dashboard', 'public')
  const text = (file: string): Promise<string> => readFile(file, 'utf8')
  const image = (file: string): Promise<string> => readFile(join(shared, file), 'base64')
  const png = { type: 'image/png', encoding: 'base64' } as const
  return {
    '/': { type: HTML, body: await text(join(folder, 'phone.html')) },
    '/phone.css': { type: 'text/css; charset=utf-8', body: await text(join(folder, 'phone.css')) },
    '/phone.js': { type: SCRIPT, body: await bundleScript(join(folder, 'phone.ts'), modules) },
    '/sw.js': { type: SCRIPT, body: await text(join(shared, 'sw.js')) },
    '/manifest.webmanifest': {
      type: 'application/manifest+json',
      body: await text(join(shared, 'manifest.webmanifest')),
    },
    '/icon.svg': { type: 'image/svg+xml', body: await text(join(shared, 'favicon.svg')) },
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
