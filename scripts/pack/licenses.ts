import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { z } from 'zod'

const about = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().default('see below'),
})

/** The licences of all third-party packages in the bundle. */
export const licensesOf = async (metafile: Metafile, root: string): Promise<string> => {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap(
      (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
    ),
  )
  const texts = await Promise.all(
    [...folders].sort().map((folder) => licenseOf(join(root, folder))),
  )
  return texts.join(`\n${'-'.repeat(78)}\n\n`)
}

const licenseOf = async (folder: string): Promise<string> => {
  const { name, version, license } = about.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  )
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text}`
}
