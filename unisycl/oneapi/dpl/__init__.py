"""Public: oneDPL's algorithms, iterators and policies, over arrays, USM memory and buffers.

An algorithm takes a queue or a policy first; ``NAME_async`` returns a ``future``. Non-goals: names
of C++ that Python has others for. Invariant: bad input is refused before anything runs.
"""

from unisycl.oneapi.dpl.elementwise import (
    adjacent_difference,
    copy,
    copy_n,
    fill,
    fill_n,
    for_each,
    for_each_n,
    generate,
    generate_n,
    iota,
    replace,
    replace_copy,
    replace_copy_if,
    replace_if,
    transform,
    transform_if,
)
from unisycl.oneapi.dpl.extremes import max_element, min_element, minmax_element
from unisycl.oneapi.dpl.histograms import histogram
from unisycl.oneapi.dpl.iterators import (
    constant_iterator,
    counting_iterator,
    discard_iterator,
    make_permutation_iterator,
    make_reverse_iterator,
    make_transform_iterator,
    make_zip_iterator,
    permutation_iterator,
    reverse_iterator,
    shuffle_iterator,
    transform_iterator,
    transform_output_iterator,
    zip_iterator,
)
from unisycl.oneapi.dpl.moves import (
    reverse,
    reverse_copy,
    rotate,
    rotate_copy,
    shift_left,
    shift_right,
    shuffle,
    swap_ranges,
)
from unisycl.oneapi.dpl.ordered import (
    binary_search,
    includes,
    inplace_merge,
    lower_bound,
    merge,
    set_difference,
    set_intersection,
    set_symmetric_difference,
    set_union,
    upper_bound,
)
from unisycl.oneapi.dpl.reductions import (
    adjacent_find,
    all_of,
    any_of,
    count,
    count_if,
    equal,
    find,
    find_first_of,
    find_if,
    find_if_not,
    is_sorted,
    is_sorted_until,
    mismatch,
    none_of,
    reduce,
    transform_reduce,
)
from unisycl.oneapi.dpl.scans import (
    exclusive_scan,
    inclusive_scan,
    transform_exclusive_scan,
    transform_inclusive_scan,
)
from unisycl.oneapi.dpl.searches import (
    find_end,
    is_partitioned,
    lexicographical_compare,
    search,
    search_n,
)
from unisycl.oneapi.dpl.segments import (
    exclusive_scan_by_segment,
    inclusive_scan_by_segment,
    reduce_by_segment,
)
from unisycl.oneapi.dpl.selections import (
    copy_if,
    partition,
    partition_copy,
    remove,
    remove_copy,
    remove_copy_if,
    remove_if,
    stable_partition,
    three_way_partition,
    unique,
    unique_by_key,
    unique_by_key_copy,
    unique_copy,
)
from unisycl.oneapi.dpl.sorting import (
    nth_element,
    partial_sort,
    partial_sort_copy,
    segmented_sort,
    segmented_sort_by_key,
    sort,
    sort_by_key,
    stable_sort,
    stable_sort_by_key,
    top_k,
)
from unisycl.oneapi.frame.operands import begin, end
from unisycl.oneapi.frame.policies import (
    device_policy,
    dpcpp_default,
    host_policy,
    make_device_policy,
    par,
    par_unseq,
    seq,
    unseq,
)
from unisycl.oneapi.frame.results import future

adjacent_difference_async = adjacent_difference.later
adjacent_find_async = adjacent_find.later
all_of_async = all_of.later
any_of_async = any_of.later
binary_search_async = binary_search.later
copy_async = copy.later
copy_if_async = copy_if.later
copy_n_async = copy_n.later
count_async = count.later
count_if_async = count_if.later
equal_async = equal.later
exclusive_scan_async = exclusive_scan.later
exclusive_scan_by_segment_async = exclusive_scan_by_segment.later
fill_async = fill.later
fill_n_async = fill_n.later
find_async = find.later
find_end_async = find_end.later
find_first_of_async = find_first_of.later
find_if_async = find_if.later
find_if_not_async = find_if_not.later
for_each_async = for_each.later
for_each_n_async = for_each_n.later
generate_async = generate.later
generate_n_async = generate_n.later
histogram_async = histogram.later
includes_async = includes.later
inclusive_scan_async = inclusive_scan.later
inclusive_scan_by_segment_async = inclusive_scan_by_segment.later
inplace_merge_async = inplace_merge.later
iota_async = iota.later
is_partitioned_async = is_partitioned.later
is_sorted_async = is_sorted.later
is_sorted_until_async = is_sorted_until.later
lexicographical_compare_async = lexicographical_compare.later
lower_bound_async = lower_bound.later
max_element_async = max_element.later
merge_async = merge.later
min_element_async = min_element.later
minmax_element_async = minmax_element.later
mismatch_async = mismatch.later
none_of_async = none_of.later
nth_element_async = nth_element.later
partial_sort_async = partial_sort.later
partial_sort_copy_async = partial_sort_copy.later
partition_async = partition.later
partition_copy_async = partition_copy.later
reduce_async = reduce.later
reduce_by_segment_async = reduce_by_segment.later
remove_async = remove.later
remove_copy_async = remove_copy.later
remove_copy_if_async = remove_copy_if.later
remove_if_async = remove_if.later
replace_async = replace.later
replace_copy_async = replace_copy.later
replace_copy_if_async = replace_copy_if.later
replace_if_async = replace_if.later
reverse_async = reverse.later
reverse_copy_async = reverse_copy.later
rotate_async = rotate.later
rotate_copy_async = rotate_copy.later
search_async = search.later
search_n_async = search_n.later
segmented_sort_async = segmented_sort.later
segmented_sort_by_key_async = segmented_sort_by_key.later
set_difference_async = set_difference.later
set_intersection_async = set_intersection.later
set_symmetric_difference_async = set_symmetric_difference.later
set_union_async = set_union.later
shift_left_async = shift_left.later
shift_right_async = shift_right.later
shuffle_async = shuffle.later
sort_async = sort.later
sort_by_key_async = sort_by_key.later
stable_partition_async = stable_partition.later
stable_sort_async = stable_sort.later
stable_sort_by_key_async = stable_sort_by_key.later
swap_ranges_async = swap_ranges.later
three_way_partition_async = three_way_partition.later
top_k_async = top_k.later
transform_async = transform.later
transform_exclusive_scan_async = transform_exclusive_scan.later
transform_if_async = transform_if.later
transform_inclusive_scan_async = transform_inclusive_scan.later
transform_reduce_async = transform_reduce.later
unique_async = unique.later
unique_by_key_async = unique_by_key.later
unique_by_key_copy_async = unique_by_key_copy.later
unique_copy_async = unique_copy.later
upper_bound_async = upper_bound.later

__all__ = [
    "adjacent_difference", "adjacent_difference_async", "adjacent_find", "adjacent_find_async",
    "all_of", "all_of_async", "any_of", "any_of_async", "begin", "binary_search",
    "binary_search_async", "constant_iterator", "copy", "copy_async", "copy_if", "copy_if_async",
    "copy_n", "copy_n_async", "count", "count_async", "count_if", "count_if_async",
    "counting_iterator", "device_policy", "discard_iterator", "dpcpp_default", "end", "equal",
    "equal_async", "exclusive_scan", "exclusive_scan_async", "exclusive_scan_by_segment",
    "exclusive_scan_by_segment_async", "fill", "fill_async", "fill_n", "fill_n_async", "find",
    "find_async", "find_end", "find_end_async", "find_first_of", "find_first_of_async", "find_if",
    "find_if_async", "find_if_not", "find_if_not_async", "for_each", "for_each_async", "for_each_n",
    "for_each_n_async", "future", "generate", "generate_async", "generate_n", "generate_n_async",
    "histogram", "histogram_async", "host_policy", "includes", "includes_async", "inclusive_scan",
    "inclusive_scan_async", "inclusive_scan_by_segment", "inclusive_scan_by_segment_async",
    "inplace_merge", "inplace_merge_async", "iota", "iota_async", "is_partitioned",
    "is_partitioned_async", "is_sorted", "is_sorted_async", "is_sorted_until",
    "is_sorted_until_async", "lexicographical_compare", "lexicographical_compare_async",
    "lower_bound", "lower_bound_async", "make_device_policy", "make_permutation_iterator",
    "make_reverse_iterator", "make_transform_iterator", "make_zip_iterator", "max_element",
    "max_element_async", "merge", "merge_async", "min_element", "min_element_async",
    "minmax_element", "minmax_element_async", "mismatch", "mismatch_async", "none_of",
    "none_of_async", "nth_element", "nth_element_async", "par", "par_unseq", "partial_sort",
    "partial_sort_async", "partial_sort_copy", "partial_sort_copy_async", "partition",
    "partition_async", "partition_copy", "partition_copy_async", "permutation_iterator", "reduce",
    "reduce_async", "reduce_by_segment", "reduce_by_segment_async", "remove", "remove_async",
    "remove_copy", "remove_copy_async", "remove_copy_if", "remove_copy_if_async", "remove_if",
    "remove_if_async", "replace", "replace_async", "replace_copy", "replace_copy_async",
    "replace_copy_if", "replace_copy_if_async", "replace_if", "replace_if_async", "reverse",
    "reverse_async", "reverse_copy", "reverse_copy_async", "reverse_iterator", "rotate",
    "rotate_async", "rotate_copy", "rotate_copy_async", "search", "search_async", "search_n",
    "search_n_async", "segmented_sort", "segmented_sort_async", "segmented_sort_by_key",
    "segmented_sort_by_key_async", "seq", "set_difference", "set_difference_async",
    "set_intersection", "set_intersection_async", "set_symmetric_difference",
    "set_symmetric_difference_async", "set_union", "set_union_async", "shift_left",
    "shift_left_async", "shift_right", "shift_right_async", "shuffle", "shuffle_async",
    "shuffle_iterator", "sort", "sort_async", "sort_by_key", "sort_by_key_async",
    "stable_partition", "stable_partition_async", "stable_sort", "stable_sort_async",
    "stable_sort_by_key", "stable_sort_by_key_async", "swap_ranges", "swap_ranges_async",
    "three_way_partition", "three_way_partition_async", "top_k", "top_k_async", "transform",
    "transform_async", "transform_exclusive_scan", "transform_exclusive_scan_async", "transform_if",
    "transform_if_async", "transform_inclusive_scan", "transform_inclusive_scan_async",
    "transform_iterator", "transform_output_iterator", "transform_reduce", "transform_reduce_async",
    "unique", "unique_async", "unique_by_key", "unique_by_key_async", "unique_by_key_copy",
    "unique_by_key_copy_async", "unique_copy", "unique_copy_async", "unseq", "upper_bound",
    "upper_bound_async", "zip_iterator",
]
