import type { ProjectFiles } from '../project-files.ts';
import { type Ecosystem, known } from '../proposal.ts';

/** CMakeLists.txt, built out of the source in `build` (cmake(1), "Generate a Project Buildsystem"). */
export async function cmake(files: ProjectFiles): Promise<Ecosystem | undefined> {
  const lists = await files.text('CMakeLists.txt');
  if (lists === undefined) return undefined;
  const text = lists.replace(/#.*$/gm, '');
  const [, name] = /\bproject\s*\(\s*"?([\w.+-]+)/i.exec(text) ?? [];
  const tested =
    /\b(?:enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|\binclude\s*\(\s*CTest\s*\)/i;
  const ignored = /^\/?(?:build|build\*|cmake-build-\*|build\/?\*?)\/?$/m.test(
    (await files.text('.gitignore')) ?? '',
  );
  return {
    name: 'cmake',
    project: name,
    offers: [
      known('build', 'cmake -S . -B build && cmake --build build', 'CMakeLists.txt'),
      ...(tested.test(text)
        ? [known('test', 'ctest --test-dir build --output-on-failure', 'CMakeLists.txt tests')]
        : []),
    ],
    setup: [],
    notes: ignored ? [] : ['The build goes to build/, which git does not ignore: add it to .gitignore.'],
    files: ['CMakeLists.txt'],
  };
}
