// The library is installed beside FORGE_ARTIFACT, once, and not in every clone of this action.
const { upload } = await import(process.env.FORGE_ARTIFACT)
await upload()
