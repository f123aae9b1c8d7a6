import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { type StandInHost, startStandInHost } from '../../egress/testing/stand-in-host.ts'
import { type Files, makeTarball, makeZip } from './archives.ts'

/** The response of an address, by `host/path`. */
export type Pages = Record<string, string | Buffer>

/** Internet package registries, all on one loopback port. */
export interface StandInRegistries extends StandInHost {
  /** The addresses requested since the last call. */
  takeAsked(): string[]
}

export const startRegistries = async (pages: Pages): Promise<StandInRegistries> => {
  const host = await startStandInHost(answerFrom(pages))
  const takeAsked = () => host.seen.splice(0).map(({ headers, url }) => `${headers.host}${url}`)
  return { ...host, takeAsked }
}

export const answerFrom =
  (pages: Pages): RequestListener =>
  (incoming, response) => {
    const body = pages[`${incoming.headers.host}${incoming.url}`]
    if (body === undefined) response.statusCode = 404
    if (typeof body === 'string')
      response.setHeader('content-type', body.startsWith('<') ? 'text/html' : 'application/json')
    response.end(body ?? '{}')
  }

/** Versions of one npm package, with `package.json` and more files for each. */
export const npmPages = (
  name: string,
  versions: Readonly<Record<string, { manifest: object; files: Files }>>,
  registry = 'https://registry.npmjs.org',
): Pages => {
  const pages: Pages = {}
  const place = withoutScheme(registry)
  const listed: Record<string, object> = {}
  for (const [version, { manifest, files }] of Object.entries(versions)) {
    const described = { name, version, ...manifest }
    const inPackage = Object.entries(files).map(([path, text]) => [`package/${path}`, text])
    const tarball = makeTarball({
      'package/package.json': JSON.stringify(described),
      ...Object.fromEntries(inPackage),
    })
    const path = `${name}/-/${name}-${version}.tgz`
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    pages[`${place}/${path}`] = tarball
    listed[version] = {
      ...described,
      ...('scripts' in manifest ? { hasInstallScript: true } : {}),
      dist: { tarball: `${registry}/${path}`, integrity },
    }
  }
  const latest = Object.keys(versions).at(-1)
  pages[`${place}/${name}`] = JSON.stringify({
    ...{ name, 'dist-tags': { latest }, versions: listed },
  })
  return pages
}

/** Versions of one Python package, each with a module and a program that print it. */
export const pipPages = (
  name: string,
  versions: readonly string[],
  { index, files } = {
    index: 'https://pypi.org/simple',
    files: 'https://files.pythonhosted.org/packages',
  },
): Pages => {
  const pages: Pages = {}
  const links = versions.map((version) => {
    const info = `${name}-${version}.dist-info`
    const wheel = makeZip({
      [`${name}/__init__.py`]: `VERSION = '${version}'\ndef say():\n    print('${name}', VERSION)\n`,
      [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
      [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${info}/entry_points.txt`]: `[console_scripts]\n${name} = ${name}:say\n`,
      [`${info}/RECORD`]: `${name}/__init__.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n`,
    })
    const file = `${name}-${version}-py3-none-any.whl`
    pages[`${withoutScheme(files)}/${file}`] = wheel
    const sha256 = createHash('sha256').update(wheel).digest('hex')
    return `<a href="${files}/${file}#sha256=${sha256}">${file}</a><br>`
  })
  const page = `<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`
  pages[`${withoutScheme(index)}/${name.replaceAll('_', '-')}/`] = page
  return pages
}

const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, '')
