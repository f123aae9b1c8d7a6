import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundledPackage } from './bundled-packages.ts'

/** The licences of all third-party packages in the bundle. */
export const licensesOf = async (packages: readonly BundledPackage[]): Promise<string> => {
  const texts = await Promise.all(packages.map(licenseOf))
  return texts.join(`\n${'-'.repeat(78)}\n\n`)
}

const licenseOf = async ({ folder, name, version, license }: BundledPackage): Promise<string> => {
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text}`
}
