/** Builds the dashboard into packages/dashboard/dist if its sources are newer. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
const dashboard = join(root, 'packages/dashboard')

/**
 * All inputs of the build: the app, its parts of the contract, the libraries' versions, and this
 * script.
 */
const MADE_OF = [
  ...['src', 'public', 'index.html', 'vite.config.ts', '../contract/src'].map((path) =>
    join(dashboard, path),
  ),
  join(root, 'package-lock.json'),
  import.meta.filename,
]

const newestOf = (path: string): number => {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))))
}

const built = join(dashboard, 'dist/index.html')

const isBuilt = (): boolean => {
  if (!existsSync(built)) return false
  return Math.max(...MADE_OF.map(newestOf)) < statSync(built).mtimeMs
}

export const buildDashboard = async (onBegin?: () => void): Promise<void> => {
  if (isBuilt()) return
  onBegin?.()
  const began = new Date()
  // A separate process, because the environment selects the production or development build, and
  // that of tests or a shell may select the latter.
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', dashboard, '--config', join(dashboard, 'vite.config.ts'), '--logLevel', 'warn'],
    { env: { ...process.env, NODE_ENV: 'production' } },
  )
  // A file that was saved meanwhile may be missing in the build.
  utimesSync(built, began, began)
}

if (import.meta.main) await buildDashboard()
