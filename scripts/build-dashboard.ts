/** Builds the dashboard into packages/dashboard/dist, when what it is built from is newer. */
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dashboard = join(root, 'packages/dashboard')

/** Everything a page is made of: the app, what it takes from the contract, and the libraries' versions. */
const MADE_OF = ['src', 'public', 'index.html', 'vite.config.ts', '../contract/src'].map((path) =>
  join(dashboard, path),
)

const newestOf = (path: string): number => {
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestOf(join(path, name))))
}

const built = join(dashboard, 'dist/index.html')

const isBuilt = (): boolean => {
  if (!existsSync(built)) return false
  const sources = [...MADE_OF, join(root, 'package-lock.json')]
  return Math.max(...sources.map(newestOf)) < statSync(built).mtimeMs
}

export const buildDashboard = async (): Promise<void> => {
  if (isBuilt()) return
  const began = new Date()
  const { build } = await import('vite')
  await build({ root: dashboard, logLevel: 'warn' })
  // A file that was saved meanwhile may be missing in it.
  utimesSync(built, began, began)
}

if (import.meta.main) await buildDashboard()
