/**
 * `npm run play`: follows the README and every tutorial with the Nodes that people have, in a fresh
 * clone and with the packed program, each in an empty home. `--only TEXT` limits the pages,
 * `--node 22.18.0` the versions, `--program packed` or `clone` the programs.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { playPage } from '../e2e/play/play.ts'
import { type Installed, installClone, installPacked } from './install.ts'
import { NODES, provideNode } from './provide-node.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    node: { type: 'string', multiple: true },
    program: { type: 'string', multiple: true },
  },
})
const docs = join(import.meta.dirname, '../../docs')
const pages = ['README.md', ...readdirSync(docs).filter((name) => name.startsWith('tutorial-'))]
const programs: Readonly<
  Record<string, (folder: string, bin: string, version: string) => Installed>
> = {
  packed: installPacked,
  clone: installClone,
}

const folder = mkdtempSync(join(tmpdir(), 'steward-matrix-'))
let failures = 0
try {
  for (const version of values.node ?? NODES) {
    const bin = provideNode(folder, version)
    for (const [name, install] of Object.entries(programs)) {
      if (values.program !== undefined && !values.program.includes(name)) continue
      const place = join(folder, `${name}-${version}`)
      const installed = install(place, bin, version)
      console.log(`Node ${version}, ${name}: installed in ${installed.seconds} s`)
      for (const page of pages.filter((each) => each.includes(values.only))) {
        const startedMs = performance.now()
        const { code, missing, text } = await playPage(page, installed.program)
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
        const isGood = code === 0 && missing.length === 0
        if (!isGood) failures += 1
        console.log(`  ${isGood ? 'good' : 'FAILED'}  ${page}  ${seconds} s`)
        if (!isGood) console.log(`${text}\nexit code ${code}, not seen: ${missing.join(', ')}`)
      }
      rmSync(place, { recursive: true, force: true })
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(failures === 0 ? 'All pages work.' : `${failures} pages failed.`)
process.exit(failures === 0 ? 0 : 1)
