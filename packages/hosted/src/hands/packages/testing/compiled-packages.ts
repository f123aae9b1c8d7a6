import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTarball, makeZip } from './archives.ts'
import type { Pages } from './stand-in-registries.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** A crate with a program that prints its version, in a sparse index. */
export const cratePages = (name: string, version: string): Pages => {
  const folder = `${name}-${version}`
  const crate = makeTarball({
    [`${folder}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n`,
    [`${folder}/src/main.rs`]: `fn main() { println!("${name} ${version}"); }\n`,
  })
  const entry = { name, vers: version, deps: [], cksum: sha256(crate), features: {}, yanked: false }
  const place = `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
  return {
    'index.crates.io/config.json': JSON.stringify({
      dl: 'https://static.crates.io/crates',
      api: 'https://crates.io',
    }),
    [`index.crates.io/${place}`]: `${JSON.stringify(entry)}\n`,
    [`static.crates.io/crates/${name}/${version}/download`]: crate,
  }
}

/** A module with a program that prints its version, behind a module proxy. */
export const modulePages = (proxy: string, module: string, version: string): Pages => {
  const mod = `module ${module}\n`
  const base = `${proxy}/${module}/@v`
  return {
    [`${base}/list`]: `${version}\n`,
    [`${proxy}/${module}/@latest`]: JSON.stringify({ Version: version }),
    [`${base}/${version}.info`]: JSON.stringify({ Version: version }),
    [`${base}/${version}.mod`]: mod,
    [`${base}/${version}.zip`]: makeZip({
      [`${module}@${version}/go.mod`]: mod,
      [`${module}@${version}/main.go`]: `package main\n\nfunc main() { println("${module} ${version}") }\n`,
    }),
  }
}

/** A gem with a program and a library that print its version; built by the real `gem`. */
export const gemPages = (folder: string, name: string, version: string): Pages => {
  const describe = `Gem::Specification.new { |s|
    s.name = '${name}'; s.version = '${version}'; s.summary = 'A test'; s.authors = ['A test']
    s.files = ['lib/${name}.rb', 'bin/${name}']; s.bindir = 'bin'; s.executables = ['${name}'] }`
  for (const [path, text] of Object.entries({
    [`lib/${name}.rb`]: `${name.toUpperCase()} = '${version}'\n`,
    [`bin/${name}`]: `#!/usr/bin/env ruby\nrequire '${name}'\nputs '${name} ' + ${name.toUpperCase()}\n`,
    'made.gemspec': describe,
  })) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text, { mode: 0o755 })
  }
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  run('gem', ['build', '--quiet', 'made.gemspec'])
  const gem = readFileSync(join(folder, `${name}-${version}.gem`))
  const packed = `require 'zlib'; s = Gem::Specification.load('made.gemspec'); s.files = []; $stdout.binmode; print Zlib.deflate(Marshal.dump(s))`
  const spec = run('ruby', ['-e', packed])
  // Versions of gem differ in which host they ask.
  const pages = ['rubygems.org', 'index.rubygems.org'].map((host) => ({
    [`${host}/`]: 'found',
    [`${host}/versions`]: `created_at: 2026-01-01T00:00:00Z\n---\n${name} ${version} 0\n`,
    [`${host}/info/${name}`]: `---\n${version} |checksum:${sha256(gem)}\n`,
    [`${host}/quick/Marshal.4.8/${name}-${version}.gemspec.rz`]: spec,
    [`${host}/gems/${name}-${version}.gem`]: gem,
  }))
  return Object.assign({}, ...pages)
}
