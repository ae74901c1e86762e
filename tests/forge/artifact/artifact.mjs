// What upload-artifact and download-artifact do with GitHub's own library for artifacts, as far
// as the workflows use it. That library talks to the forge as it talks to GitHub.
import { readdir, stat, mkdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { DefaultArtifactClient } from '@actions/artifact'

const client = new DefaultArtifactClient()
const input = (name) => process.env[`INPUT_${name.toUpperCase()}`] ?? ''

/** All files below a folder that are not hidden, or the file itself. */
async function files(path) {
  if (!(await stat(path)).isDirectory()) return [path]
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  const all = found.filter((one) => one.isFile()).map((one) => join(one.parentPath ?? one.path, one.name))
  return all.filter((one) => !relative(path, one).split('/').some((part) => part.startsWith('.')))
}

/** The folder that all of these paths are in. */
function common(paths) {
  let folder = dirname(paths[0])
  while (!paths.every((one) => one.startsWith(`${folder}/`))) folder = dirname(folder)
  return folder
}

/** Fails where the run has an artifact of this name, as GitHub does within an attempt; or deletes it, if asked to. */
async function free(name) {
  const { artifacts } = await client.listArtifacts({ latest: true })
  if (!artifacts.some((one) => one.name === name)) return
  if (input('overwrite') !== 'true') throw new Error(`409: the run has an artifact ${name} already`)
  await client.deleteArtifact(name)
}

export async function upload() {
  // One path a line; those that are not there are left out.
  const paths = input('path').split('\n').filter((line) => line.trim()).map((line) => resolve(line.trim()))
  const found = (await Promise.all(paths.map((path) => files(path).catch(() => [])))).flat()
  if (found.length === 0) {
    console.log(`no files: ${paths}`)
    process.exit(input('if-no-files-found') === 'error' ? 1 : 0)
  }
  const root = paths.length === 1 && found[0] !== paths[0] ? paths[0] : common(paths)
  await free(input('name'))
  const retentionDays = Number(input('retention-days')) || undefined
  const { id, size } = await client.uploadArtifact(input('name'), found, root, { retentionDays })
  console.log(`artifact ${id}: ${found.length} files, ${size} bytes`)
}

/** As a shell matches names: `*` is anything. */
function matches(pattern, name) {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`).test(name)
}

export async function download() {
  const to = resolve(input('path'))
  const { artifacts: all } = await client.listArtifacts({ latest: true })
  const name = input('name')
  const wanted = all.filter((one) => (name ? one.name === name : matches(input('pattern'), one.name)))
  if (name && wanted.length === 0) throw new Error(`there is no artifact ${name}`)
  for (const one of wanted) {
    // As actions/download-artifact v8.0.1: one artifact goes to the folder itself, several go to one each.
    const path = wanted.length === 1 ? to : join(to, one.name)
    await mkdir(path, { recursive: true })
    await client.downloadArtifact(one.id, { path })
    console.log(`${one.name}: ${path}`)
  }
}
