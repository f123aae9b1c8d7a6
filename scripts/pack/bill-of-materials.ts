import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { BundledPackage } from './bundled-packages.ts'

const component = z.looseObject({ 'bom-ref': z.string() })
const dependency = z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })
const bill = z.looseObject({
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(dependency),
})
export type BillOfMaterials = z.infer<typeof bill>

/** Vite builds the pages of the dashboard, so esbuild does not report what they contain. */
const IN_THE_PAGES = ['svelte', '@lucide/svelte']

const MAX_BYTES = 64 * 1024 ** 2

/** The CycloneDX bill of materials of the packed program: only what it contains, with checksums. */
export const billOfMaterials = async (
  root: string,
  program: { name: string; version: string; optionalDependencies: Record<string, string> },
  packages: readonly BundledPackage[],
): Promise<BillOfMaterials> => {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const { stdout } = await promisify(execFile)(
    'npm',
    [...args, '--package-lock-only', '--offline'],
    { cwd: root, maxBuffer: MAX_BYTES },
  )
  return keepContained(bill.parse(JSON.parse(stdout)), program, packages)
}

const keepContained = (
  { serialNumber, ...whole }: BillOfMaterials,
  program: Parameters<typeof billOfMaterials>[1],
  packages: readonly BundledPackage[],
): BillOfMaterials => {
  const ref = `${program.name}@${program.version}`
  const direct = [
    ...packages.map(({ name, version }) => `${name}@${version}`),
    ...Object.entries(program.optionalDependencies).map(([name, version]) => `${name}@${version}`),
    ...whole.components
      .map((each) => each['bom-ref'])
      .filter((each) => IN_THE_PAGES.includes(each.slice(0, each.lastIndexOf('@')))),
  ]
  const pages = direct.filter((each) => IN_THE_PAGES.some((name) => each.startsWith(`${name}@`)))
  const kept = new Set([...direct, ...reachable(pages, whole.dependencies)])
  // The time and the serial number differ with every build; without them equal sources pack equally.
  const { timestamp, ...metadata } = whole.metadata
  return {
    ...whole,
    metadata: {
      ...metadata,
      component: {
        ...whole.metadata.component,
        'bom-ref': ref,
        name: program.name,
        purl: `pkg:npm/${ref}`,
        properties: [],
      },
    },
    components: whole.components.filter((each) => kept.has(each['bom-ref'])),
    dependencies: [
      { ref, dependsOn: [...new Set(direct)].sort() },
      ...whole.dependencies
        .filter((each) => kept.has(each.ref))
        .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((on) => kept.has(on)) })),
    ],
  }
}

const reachable = (
  from: readonly string[],
  dependencies: BillOfMaterials['dependencies'],
): Set<string> => {
  const found = new Set(from)
  for (const ref of found) {
    for (const on of dependencies.find((each) => each.ref === ref)?.dependsOn ?? []) found.add(on)
  }
  return found
}
