/** Builds the dashboard into packages/dashboard/dist, when what it is built from is newer. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
const dashboard = join(root, 'packages/dashboard')

/** Everything a page is made of: the app, what it takes from the contract, the libraries' versions, and this. */
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
  // A process of its own: the environment decides between the small page and one for work on it, and
  // that of tests, or of a person's shell, may say the second.
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', dashboard, '--config', join(dashboard, 'vite.config.ts'), '--logLevel', 'warn'],
    { env: { ...process.env, NODE_ENV: 'production' } },
  )
  // A file that was saved meanwhile may be missing in it.
  utimesSync(built, began, began)
}

if (import.meta.main) await buildDashboard()
